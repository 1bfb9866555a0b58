import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.redisson.Redisson;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.BaseConfig;
import org.redisson.config.Config;

/** A real Redisson client, driven by commands; see `test/support/redisson.ts` for the commands. */
final class DrivenRedisson {
  private final RedissonClient client;

  private DrivenRedisson(RedissonClient client) {
    this.client = client;
  }

  public static void main(String[] args) throws Exception {
    Map<String, Object> settings = Driven.parse(args[0]);
    RedissonClient client = Redisson.create(configOf(settings));
    DrivenRedisson driven = new DrivenRedisson(client);
    Driven.tell("ready", "client", client.getId());
    Driven.by(driven::run);
  }

  private static Config configOf(Map<String, Object> settings) {
    Config config = new Config();
    // The defaults suit a server: sixteen threads and two dozen connections.
    config.setThreads(4).setNettyThreads(2);
    Long watchdog = Driven.whole(settings, "watchdogMs");
    if (watchdog != null) config.setLockWatchdogTimeout(watchdog);
    List<String> addresses = Driven.texts(settings, "addresses");
    String password = Driven.text(settings, "password");
    if (password != null) config.setUsername(Driven.text(settings, "username")).setPassword(password);
    BaseConfig<?> servers;
    if ("cluster".equals(settings.get("mode"))) {
      servers =
          config
              .useClusterServers()
              .addNodeAddress(addresses.toArray(String[]::new))
              .setScanInterval(500)
              .setMasterConnectionMinimumIdleSize(1)
              .setSlaveConnectionMinimumIdleSize(1)
              .setSubscriptionConnectionMinimumIdleSize(1)
              .setMasterConnectionPoolSize(16);
    } else if ("sentinel".equals(settings.get("mode"))) {
      servers =
          config
              .useSentinelServers()
              .setMasterName(Driven.text(settings, "master"))
              .addSentinelAddress(addresses.toArray(String[]::new))
              .setScanInterval(500)
              .setMasterConnectionMinimumIdleSize(1)
              .setSlaveConnectionMinimumIdleSize(1)
              .setSubscriptionConnectionMinimumIdleSize(1)
              .setMasterConnectionPoolSize(16);
    } else {
      servers =
          config
              .useSingleServer()
              .setAddress(addresses.get(0))
              .setConnectionMinimumIdleSize(1)
              .setSubscriptionConnectionMinimumIdleSize(1)
              .setConnectionPoolSize(16);
    }
    servers.setRetryAttempts(20);
    return config;
  }

  private RLock lock(Map<String, Object> command) {
    String name = Driven.text(command, "name");
    return switch (Driven.text(command, "kind")) {
      case "lock" -> client.getLock(name);
      case "fair" -> client.getFairLock(name);
      case "fenced" -> client.getFencedLock(name);
      case "spin" -> client.getSpinLock(name);
      case "non-reentrant" -> client.getNonReentrantLock(name);
      case "non-reentrant-fair" -> client.getNonReentrantFairLock(name);
      case "read" -> client.getReadWriteLock(name).readLock();
      case "write" -> client.getReadWriteLock(name).writeLock();
      case "multi" ->
          client.getMultiLock(
              Driven.texts(command, "names").stream().map(client::getLock).toArray(RLock[]::new));
      case "faster-multi" -> client.getMultiLock(name, new ArrayList<>(Driven.texts(command, "names")));
      default -> throw new IllegalArgumentException("no lock is called " + command.get("kind"));
    };
  }

  private Object run(Map<String, Object> command) throws Exception {
    String op = Driven.text(command, "op");
    switch (op) {
      case "party":
        return party();
      case "close":
        client.shutdown();
        return null;
      default:
    }
    String name = Driven.text(command, "name");
    return switch (Driven.text(command, "kind")) {
      case "semaphore" -> semaphore(client.getSemaphore(name), op, command);
      case "permits" -> permits(client.getPermitExpirableSemaphore(name), op, command);
      case "latch" -> latch(client.getCountDownLatch(name), op, command);
      default -> lock(lock(command), op, command);
    };
  }

  /** Redis's name for the asking thread. */
  private String party() {
    return client.getId() + ":" + Thread.currentThread().getId();
  }

  private Object lock(RLock lock, String op, Map<String, Object> command) throws Exception {
    Long wait = Driven.whole(command, "waitMs");
    Long given = Driven.whole(command, "leaseMs");
    long lease = given == null ? -1 : given;
    switch (op) {
      case "acquire":
        if (lock instanceof RFencedLock fenced) {
          Long token =
              wait == null
                  ? fenced.lockAndGetToken(lease, MILLISECONDS)
                  : fenced.tryLockAndGetToken(wait, lease, MILLISECONDS);
          return token == null ? false : token;
        }
        if (wait != null) return lock.tryLock(wait, lease, MILLISECONDS);
        if (given == null) lock.lock();
        else lock.lock(lease, MILLISECONDS);
        return true;
      case "release":
        lock.unlock();
        return null;
      case "force":
        return lock.forceUnlock();
      case "held":
        Map<String, Object> held = new LinkedHashMap<>();
        held.put("held", lock.isHeldByCurrentThread());
        held.put("party", party());
        // For several at once, Redisson can say no more.
        boolean several = Driven.text(command, "kind").contains("multi");
        held.put("locked", several ? null : lock.isLocked());
        held.put("count", several ? null : lock.getHoldCount());
        held.put("ttlMs", several ? null : lock.remainTimeToLive());
        return held;
      default:
        throw new IllegalArgumentException(op);
    }
  }

  private static Object semaphore(RSemaphore semaphore, String op, Map<String, Object> command)
      throws Exception {
    int permits = Driven.count(command, "permits");
    Long wait = Driven.whole(command, "waitMs");
    switch (op) {
      case "acquire":
        if (wait != null) return semaphore.tryAcquire(permits, Duration.ofMillis(wait));
        semaphore.acquire(permits);
        return true;
      case "release":
        semaphore.release(permits);
        return null;
      case "set":
        return semaphore.trySetPermits(permits);
      case "add":
        semaphore.addPermits(permits);
        return null;
      case "drain":
        return semaphore.drainPermits();
      case "available":
        return semaphore.availablePermits();
      default:
        throw new IllegalArgumentException(op);
    }
  }

  private static Object permits(
      RPermitExpirableSemaphore semaphore, String op, Map<String, Object> command) throws Exception {
    int permits = Driven.count(command, "permits");
    Long wait = Driven.whole(command, "waitMs");
    Long given = Driven.whole(command, "leaseMs");
    long lease = given == null ? -1 : given;
    List<String> ids = Driven.texts(command, "ids");
    switch (op) {
      case "acquire":
        if (wait != null) return semaphore.tryAcquire(permits, wait, lease, MILLISECONDS);
        return given == null ? semaphore.acquire(permits) : semaphore.acquire(permits, lease, MILLISECONDS);
      case "release":
        if (ids.size() == 1) semaphore.release(ids.get(0));
        else semaphore.release(ids);
        return null;
      case "try-release":
        return semaphore.tryRelease(ids.get(0));
      case "lease":
        return semaphore.updateLeaseTime(ids.get(0), lease, MILLISECONDS);
      case "set":
        semaphore.setPermits(permits);
        return true;
      case "add":
        semaphore.addPermits(permits);
        return null;
      case "available":
        return semaphore.availablePermits();
      default:
        throw new IllegalArgumentException(op);
    }
  }

  private static Object latch(RCountDownLatch latch, String op, Map<String, Object> command)
      throws Exception {
    Long wait = Driven.whole(command, "waitMs");
    switch (op) {
      case "acquire":
        if (wait != null) return latch.await(wait, MILLISECONDS);
        latch.await();
        return true;
      case "release":
        latch.countDown();
        return null;
      case "set":
        return latch.trySetCount(Driven.count(command, "permits"));
      case "available":
        return latch.getCount();
      default:
        throw new IllegalArgumentException(op);
    }
  }
}
