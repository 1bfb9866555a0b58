import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.apache.curator.RetryPolicy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.framework.recipes.locks.Revoker;
import org.apache.curator.framework.recipes.shared.SharedCount;
import org.apache.curator.retry.RetryForever;
import org.apache.zookeeper.CreateMode;

/** A real Curator client, driven by commands; see `test/support/curator.ts` for the commands. */
final class DrivenCurator {
  private final CuratorFramework client;
  /** Curator's objects, one each for a kind and a path, as an application keeps them. */
  private final Map<String, Object> made = new ConcurrentHashMap<>();
  private final Map<String, Lease> leases = new ConcurrentHashMap<>();

  private DrivenCurator(CuratorFramework client) {
    this.client = client;
  }

  public static void main(String[] args) throws Exception {
    Map<String, Object> settings = Driven.parse(args[0]);
    RetryPolicy retry = new RetryForever(200);
    CuratorFrameworkFactory.Builder builder =
        CuratorFrameworkFactory.builder()
            .connectString(Driven.text(settings, "addresses"))
            .sessionTimeoutMs(Driven.whole(settings, "sessionMs").intValue())
            .connectionTimeoutMs(10_000)
            .retryPolicy(retry);
    String digest = Driven.text(settings, "digest");
    if (digest != null) builder.authorization("digest", digest.getBytes(StandardCharsets.UTF_8));
    CuratorFramework client = builder.build();
    client
        .getConnectionStateListenable()
        .addListener((of, state) -> Driven.tell("connection", "state", state.name()));
    client.start();
    client.blockUntilConnected();
    Driven.tell("ready", "client", session(client));
    DrivenCurator driven = new DrivenCurator(client);
    Driven.by(driven::run);
  }

  /** The form of ZooKeeper's own commands. */
  private static String session(CuratorFramework client) throws Exception {
    return "0x" + Long.toHexString(client.getZookeeperClient().getZooKeeper().getSessionId());
  }

  @SuppressWarnings("unchecked")
  private <T> T kept(Map<String, Object> command, Maker<T> maker) {
    String key = command.get("kind") + " " + command.get("path") + " " + command.get("paths");
    return (T)
        made.computeIfAbsent(
            key,
            k -> {
              try {
                return maker.make();
              } catch (Exception thrown) {
                throw new IllegalStateException(thrown);
              }
            });
  }

  private interface Maker<T> {
    T make() throws Exception;
  }

  private Object run(Map<String, Object> command) throws Exception {
    String op = Driven.text(command, "op");
    switch (op) {
      case "session":
        return session(client);
      case "close":
        client.close();
        return null;
      default:
    }
    String path = Driven.text(command, "path");
    return switch (Driven.text(command, "kind")) {
      case "semaphore" -> semaphore(semaphoreOf(path, command), op, command);
      case "latch" -> latch(path, op, command);
      case "selector" -> selector(path, op, command);
      case "count" -> count(countOf(path), op, command);
      case "node" -> node(path, op, command);
      default -> lock(lockOf(path, command), op, command);
    };
  }

  private InterProcessLock lockOf(String path, Map<String, Object> command) {
    return switch (Driven.text(command, "kind")) {
      case "mutex" -> kept(command, () -> new InterProcessMutex(client, path));
      case "revocable" -> kept(command, () -> revocable(path));
      case "semaphore-mutex" -> kept(command, () -> new InterProcessSemaphoreMutex(client, path));
      case "read" -> readWriteOf(path).readLock();
      case "write" -> readWriteOf(path).writeLock();
      case "multi" -> kept(command, () -> new InterProcessMultiLock(client, Driven.texts(command, "paths")));
      default -> throw new IllegalArgumentException("no lock is called " + command.get("kind"));
    };
  }

  private InterProcessReadWriteLock readWriteOf(String path) {
    return (InterProcessReadWriteLock)
        made.computeIfAbsent("read-write " + path, k -> new InterProcessReadWriteLock(client, path));
  }

  private InterProcessMutex revocable(String path) {
    InterProcessMutex mutex = new InterProcessMutex(client, path);
    mutex.makeRevocable(asked -> Driven.tell("asked", "path", path));
    return mutex;
  }

  /** The node by which the thread holds; null when it holds none, or the kind hides it. */
  private static String nodeOf(InterProcessLock lock) throws Exception {
    if (!(lock instanceof InterProcessMutex)) return null;
    Method method = InterProcessMutex.class.getDeclaredMethod("getLockPath");
    method.setAccessible(true);
    return (String) method.invoke(lock);
  }

  private static Object lock(InterProcessLock lock, String op, Map<String, Object> command)
      throws Exception {
    Long wait = Driven.whole(command, "waitMs");
    switch (op) {
      case "acquire":
        if (wait != null) return lock.acquire(wait, MILLISECONDS);
        lock.acquire();
        return true;
      case "release":
        lock.release();
        return null;
      case "held":
        Map<String, Object> held = new LinkedHashMap<>();
        held.put("acquired", lock.isAcquiredInThisProcess());
        // A semaphore's mutex belongs to no thread.
        held.put("held", lock instanceof InterProcessMutex mutex ? mutex.isOwnedByCurrentThread() : null);
        held.put("node", nodeOf(lock));
        return held;
      default:
        throw new IllegalArgumentException(op);
    }
  }

  private InterProcessSemaphoreV2 semaphoreOf(String path, Map<String, Object> command) {
    String counted = Driven.text(command, "count");
    SharedCount limit = counted == null ? null : countOf(counted);
    return kept(
        command,
        () -> {
          InterProcessSemaphoreV2 semaphore =
              limit == null
                  ? new InterProcessSemaphoreV2(client, path, Driven.count(command, "limit"))
                  : new InterProcessSemaphoreV2(client, path, limit);
          String data = Driven.text(command, "data");
          if (data != null) semaphore.setNodeData(data.getBytes(StandardCharsets.UTF_8));
          return semaphore;
        });
  }

  private Object semaphore(InterProcessSemaphoreV2 semaphore, String op, Map<String, Object> command)
      throws Exception {
    switch (op) {
      case "acquire":
        int permits = Driven.count(command, "permits");
        Long wait = Driven.whole(command, "waitMs");
        Collection<Lease> taken =
            wait == null ? semaphore.acquire(permits) : semaphore.acquire(permits, wait, MILLISECONDS);
        if (taken == null) return false;
        List<String> nodes = new ArrayList<>();
        for (Lease lease : taken) {
          leases.put(lease.getNodeName(), lease);
          nodes.add(lease.getNodeName());
        }
        return nodes;
      case "release":
        for (String node : Driven.texts(command, "nodes")) semaphore.returnLease(leases.remove(node));
        return null;
      default:
        throw new IllegalArgumentException(op);
    }
  }

  private Object latch(String path, String op, Map<String, Object> command) throws Exception {
    LeaderLatch latch =
        kept(
            command,
            () -> {
              String id = Driven.text(command, "data");
              LeaderLatch fresh = new LeaderLatch(client, path, id == null ? "" : id);
              fresh.addListener(
                  new LeaderLatchListener() {
                    @Override
                    public void isLeader() {
                      Driven.tell("leads", "path", path);
                    }

                    @Override
                    public void notLeader() {
                      Driven.tell("leads no more", "path", path);
                    }
                  });
              return fresh;
            });
    switch (op) {
      case "acquire":
        if (latch.getState() == LeaderLatch.State.LATENT) latch.start();
        Long wait = Driven.whole(command, "waitMs");
        if (wait != null) return latch.await(wait, MILLISECONDS);
        latch.await();
        return true;
      case "release":
        made.values().remove(latch);
        latch.close();
        return null;
      case "held":
        Map<String, Object> held = new LinkedHashMap<>();
        held.put("acquired", latch.hasLeadership());
        held.put("held", null);
        held.put("node", latch.getOurPath());
        return held;
      default:
        throw new IllegalArgumentException(op);
    }
  }

  /** A selector, and the end of its term. */
  private static final class Selector extends LeaderSelectorListenerAdapter {
    private final String path;
    private final CountDownLatch taken = new CountDownLatch(1);
    private final CountDownLatch left = new CountDownLatch(1);
    private LeaderSelector selector;

    private Selector(String path) {
      this.path = path;
    }

    @Override
    public void takeLeadership(CuratorFramework client) throws Exception {
      taken.countDown();
      Driven.tell("leads", "path", path);
      try {
        left.await();
      } finally {
        Driven.tell("leads no more", "path", path);
      }
    }
  }

  private Object selector(String path, String op, Map<String, Object> command) throws Exception {
    Selector selector =
        kept(
            command,
            () -> {
              Selector fresh = new Selector(path);
              fresh.selector = new LeaderSelector(client, path, fresh);
              String id = Driven.text(command, "data");
              if (id != null) fresh.selector.setId(id);
              return fresh;
            });
    switch (op) {
      case "acquire":
        if (selector.taken.getCount() > 0) {
          try {
            selector.selector.start();
          } catch (IllegalStateException startedBefore) {
            // A second command waits for the same selector.
          }
        }
        Long wait = Driven.whole(command, "waitMs");
        if (wait != null) return selector.taken.await(wait, MILLISECONDS);
        selector.taken.await();
        return true;
      case "release":
        made.values().remove(selector);
        selector.left.countDown();
        selector.selector.close();
        return null;
      case "held":
        Map<String, Object> held = new LinkedHashMap<>();
        held.put("acquired", selector.selector.hasLeadership());
        held.put("held", null);
        held.put("node", null);
        return held;
      default:
        throw new IllegalArgumentException(op);
    }
  }

  private SharedCount countOf(String path) {
    return (SharedCount)
        made.computeIfAbsent(
            "count " + path,
            k -> {
              SharedCount fresh = new SharedCount(client, path, 0);
              try {
                fresh.start();
              } catch (Exception thrown) {
                throw new IllegalStateException(thrown);
              }
              return fresh;
            });
  }

  /** Operations without a recipe: plain nodes, and asking for a lock. */
  private Object node(String path, String op, Map<String, Object> command) throws Exception {
    String data = Driven.text(command, "data");
    byte[] bytes = data == null ? new byte[0] : data.getBytes(StandardCharsets.UTF_8);
    switch (op) {
      case "create":
        return client
            .create()
            .creatingParentContainersIfNeeded()
            .withMode(CreateMode.valueOf(Driven.text(command, "mode")))
            .forPath(path, bytes);
      case "delete":
        client.delete().forPath(path);
        return null;
      case "set":
        client.setData().forPath(path, bytes);
        return null;
      case "children":
        return client.checkExists().forPath(path) == null ? null : client.getChildren().forPath(path);
      case "revoke":
        Revoker.attemptRevoke(client, path);
        return null;
      default:
        throw new IllegalArgumentException(op);
    }
  }

  private static Object count(SharedCount count, String op, Map<String, Object> command)
      throws Exception {
    switch (op) {
      case "set":
        count.setCount(Driven.count(command, "permits"));
        return true;
      case "available":
        return count.getCount();
      default:
        throw new IllegalArgumentException(op);
    }
  }
}
