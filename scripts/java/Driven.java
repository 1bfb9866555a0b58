import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A client program that another process drives. Each command is a JSON line on standard input, and its answer one on
 * standard output. Each named thread takes its commands one after the other, because locks belong to threads.
 */
final class Driven {
  interface Commands {
    Object run(Map<String, Object> command) throws Exception;
  }

  private static final PrintStream OUT = new PrintStream(System.out, false, StandardCharsets.UTF_8);
  private static final Map<String, Worker> WORKERS = new LinkedHashMap<>();

  private static final class Worker extends Thread {
    final BlockingQueue<Map<String, Object>> queue = new LinkedBlockingQueue<>();
    private final Commands commands;

    Worker(String name, Commands commands) {
      super(name);
      this.commands = commands;
      setDaemon(true);
      start();
    }

    @Override
    public void run() {
      while (true) {
        Map<String, Object> command;
        try {
          command = queue.take();
        } catch (InterruptedException late) {
          continue;
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("id", command.get("id"));
        try {
          answer.put("value", commands.run(command));
        } catch (Throwable thrown) {
          answer.put("thrown", thrown.getClass().getName());
          answer.put("message", String.valueOf(thrown.getMessage()));
        }
        say(answer);
      }
    }
  }

  /** Reports an event without a request. */
  static void tell(String event, String key, Object value) {
    Map<String, Object> told = new LinkedHashMap<>();
    told.put("event", event);
    told.put(key, value);
    say(told);
  }

  private static synchronized void say(Object line) {
    StringBuilder text = new StringBuilder();
    write(text, line);
    OUT.println(text);
    OUT.flush();
  }

  /** Takes commands until standard input ends, then ends the process abruptly, as a crash would. */
  static void by(Commands commands) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Map<String, Object> command = parse(line);
      String name = String.valueOf(command.get("thread"));
      if ("interrupt".equals(command.get("op"))) {
        Worker worker = WORKERS.get(name);
        if (worker != null) worker.interrupt();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("id", command.get("id"));
        answer.put("value", worker != null);
        say(answer);
        continue;
      }
      WORKERS.computeIfAbsent(name, n -> new Worker(n, commands)).queue.add(command);
    }
    Runtime.getRuntime().halt(0);
  }

  static String text(Map<String, Object> command, String key) {
    return (String) command.get(key);
  }

  static Long whole(Map<String, Object> command, String key) {
    Object value = command.get(key);
    return value == null ? null : ((Number) value).longValue();
  }

  static int count(Map<String, Object> command, String key) {
    Long value = whole(command, key);
    return value == null ? 1 : value.intValue();
  }

  @SuppressWarnings("unchecked")
  static List<String> texts(Map<String, Object> command, String key) {
    return (List<String>) (List<?>) command.get(key);
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> parse(String json) {
    return (Map<String, Object>) new Reader(json).value();
  }

  private static void write(StringBuilder to, Object value) {
    if (value instanceof Map<?, ?> map) {
      String comma = "{";
      if (map.isEmpty()) to.append(comma);
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        to.append(comma);
        write(to, String.valueOf(entry.getKey()));
        to.append(':');
        write(to, entry.getValue());
        comma = ",";
      }
      to.append('}');
    } else if (value instanceof Iterable<?> list) {
      to.append('[');
      String comma = "";
      for (Object item : list) {
        to.append(comma);
        write(to, item);
        comma = ",";
      }
      to.append(']');
    } else if (value == null || value instanceof Number || value instanceof Boolean) {
      to.append(value);
    } else {
      to.append('"');
      for (char c : value.toString().toCharArray()) {
        if (c == '"' || c == '\\') to.append('\\').append(c);
        else if (c < ' ') to.append(String.format("\\u%04x", (int) c));
        else to.append(c);
      }
      to.append('"');
    }
  }

  /** The part of JSON that the other side writes. */
  private static final class Reader {
    private final String text;
    private int at = 0;

    Reader(String text) {
      this.text = text;
    }

    private boolean next(char c) {
      while (Character.isWhitespace(text.charAt(at))) at += 1;
      if (text.charAt(at) != c) return false;
      at += 1;
      return true;
    }

    Object value() {
      if (next('{')) {
        Map<String, Object> map = new LinkedHashMap<>();
        while (!next('}')) {
          next(',');
          String key = (String) value();
          next(':');
          map.put(key, value());
        }
        return map;
      }
      if (next('[')) {
        List<Object> list = new ArrayList<>();
        while (!next(']')) {
          next(',');
          list.add(value());
        }
        return list;
      }
      if (next('"')) {
        StringBuilder read = new StringBuilder();
        for (char c = text.charAt(at++); c != '"'; c = text.charAt(at++)) {
          if (c != '\\') {
            read.append(c);
            continue;
          }
          char escaped = text.charAt(at++);
          if (escaped == 'u') {
            read.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
            at += 4;
          } else {
            int known = "bfnrt".indexOf(escaped);
            read.append(known == -1 ? escaped : "\b\f\n\r\t".charAt(known));
          }
        }
        return read.toString();
      }
      int from = at;
      while (at < text.length() && ",]} ".indexOf(text.charAt(at)) == -1) at += 1;
      String word = text.substring(from, at);
      return switch (word) {
        case "true" -> true;
        case "false" -> false;
        case "null" -> null;
        default -> Long.valueOf(word);
      };
    }
  }
}
