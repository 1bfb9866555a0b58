# syntax=docker/dockerfile:1
# Two stages: the first builds with all packages, the second holds Node and what the server loads, nothing else.
# glibc on both sides, because the embedded store (libsql) comes as a binary for the C library of where it was installed.
ARG NODE=24-bookworm-slim

FROM node:${NODE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
# The data folder is made here, so that a new volume belongs to the user that the server runs as.
RUN node scripts/standalone.mjs && mkdir /data

FROM node:${NODE}
WORKDIR /app
COPY --from=build /build/.next/standalone ./
COPY --from=build --chown=node:node --chmod=700 /data /data
# Docker names the container in HOSTNAME, and Next would listen there alone.
ENV NODE_ENV=production HOSTNAME=0.0.0.0 PORT=3000 SIGNALBOX_DATA=/data
# As `npm start` has it (scripts/console.mjs, docs/decisions/0032): memory for what is young, and what glibc gives back.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=65536 MALLOC_TRIM_THRESHOLD_=262144
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=8", "server.js"]
