# One replica beside the agent of its machine, with its audit on that machine. For more: count, and DATABASE_URL.
variable "image" {
  type = string
}

job "signalbox" {
  group "signalbox" {
    network {
      port "http" { to = 3000 }
    }

    # The embedded store stays when the job is updated, and goes when it moves: keep an audit that matters in Postgres.
    ephemeral_disk {
      sticky = true
      size   = 1024
    }

    service {
      name = "signalbox"
      port = "http"
      check {
        type     = "http"
        path     = "/healthz"
        interval = "10s"
        timeout  = "3s"
      }
    }

    task "server" {
      driver       = "docker"
      kill_timeout = "30s"

      config {
        image           = var.image
        ports           = ["http"]
        readonly_rootfs = true
        cap_drop        = ["all"]
      }

      env {
        # The agent of this machine, which must listen there, and not on its loopback alone.
        CONSUL_HTTP_ADDR       = "${attr.unique.network.ip-address}:8500"
        SIGNALBOX_DATA         = "/alloc/data/signalbox"
        CONSUL_HTTP_TOKEN_FILE = "${NOMAD_SECRETS_DIR}/consul-token"
        SIGNALBOX_SECRET_FILE  = "${NOMAD_SECRETS_DIR}/secret"
        SIGNALBOX_URL          = "https://signalbox.example"
      }

      template {
        destination = "secrets/consul-token"
        perms       = "0444"
        data        = "{{ with nomadVar \"nomad/jobs/signalbox\" }}{{ .consul_token }}{{ end }}"
      }
      template {
        destination = "secrets/secret"
        perms       = "0444"
        data        = "{{ with nomadVar \"nomad/jobs/signalbox\" }}{{ .secret }}{{ end }}"
      }

      resources {
        cpu    = 500
        memory = 512
      }
    }
  }
}
