#!/usr/bin/env bash
# Java's HttpClient, as it comes, offers HTTP/2 with each request to an http address: `Upgrade: h2c` and `HTTP2-Settings`, with a body
# too. A server that refuses Upgrade instead of ignoring it (RFC 9110 §7.8) refuses every program in Java.
# Needs openjdk-17-jdk-headless and python3 (apt); seen with 17.0.21.1+2-1~deb12u1 of Debian 12, and prints the version that it runs.
set -euo pipefail
scratch="$(mktemp -d)"
trap 'kill "$server" 2>/dev/null || true; rm -rf "$scratch"' EXIT
cd "$scratch"
cat >server.py <<'PY'
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        with open("heard", "a") as file:
            file.write(f"POST, Upgrade: {self.headers['Upgrade']}, HTTP2-Settings: {'sent' if self.headers['HTTP2-Settings'] else 'none'}\n")
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
open("port", "w").write(str(server.server_port))
server.serve_forever()
PY
cat >Ask.java <<'JAVA'
import java.net.URI;
import java.net.http.*;
class Ask {
  public static void main(String[] args) throws Exception {
    var http = HttpClient.newHttpClient();
    for (int n = 0; n < 2; n++) {
      var ask = HttpRequest.newBuilder(URI.create(args[0])).POST(HttpRequest.BodyPublishers.ofString("{}")).build();
      System.out.println(http.send(ask, HttpResponse.BodyHandlers.ofString()).statusCode());
    }
  }
}
JAVA
python3 server.py & server=$!
until [ -s port ]; do sleep 0.1; done
java --version | head -n 1
java Ask.java "http://127.0.0.1:$(cat port)/"
echo "Java $(java -XshowSettings:properties -version 2>&1 | sed -n 's/ *java.specification.version = //p')" | tee seen
tee -a seen <heard
diff - seen <<'SEEN'
Java 17
POST, Upgrade: h2c, HTTP2-Settings: sent
POST, Upgrade: h2c, HTTP2-Settings: sent
SEEN
