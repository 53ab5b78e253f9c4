import { writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { TestContext } from "node:test"

import { needs } from "./needs.ts"

/**
 * What people send requests by, as it comes: each reads `$URL/whoami` and posts an order to `$URL/check/…` with `$TOKEN`, and
 * prints the two statuses after its name and version.
 */
export type HttpClient = {
  readonly name: string
  /** Its program, by the file's name, and the line of a shell that runs it in the directory of the files. */
  readonly file: readonly [name: string, text: string]
  readonly line: string
  readonly needed: { readonly skip?: string }
}

const order = `{"symbol_id": 1, "is_buy": true, "order_type": "limit", "price": "63000", "quantity": "0.1"}`
const path = "/check/v1/trade/orders"

/** Debian's, which has the packages. */
const python = "/usr/bin/python3"

const pythonHead = `import os, sys
url, order = os.environ["URL"], ${JSON.stringify(order)}
token = {"Authorization": "Bearer " + os.environ["TOKEN"]}
typed = {**token, "Content-Type": "application/json"}
`

function inPython(name: string, text: string): HttpClient {
  const file = [`by_${name}.py`, pythonHead + text] as const
  const needed = needs("python3", `apt-get install python3 python3-${name}`)
  return { name, file, line: `${python} by_${name}.py`, needed }
}

const javascript = `
const { URL: url, TOKEN } = process.env
const token = { Authorization: "Bearer " + TOKEN }
const typed = { ...token, "Content-Type": "application/json" }
const order = ${JSON.stringify(order)}
`

export const httpClients: readonly HttpClient[] = [
  {
    name: "curl",
    file: [
      "by_curl.sh",
      `curl --version | cut -d ' ' -f 1,2 | head -n 1
ask() { curl -sS -o answer -w '%{http_code}\\n' -H "Authorization: Bearer $TOKEN" "$@"; }
ask "$URL/whoami"
ask "$URL${path}" -H 'Content-Type: application/json' -d '${order}'
`,
    ],
    line: "sh by_curl.sh",
    needed: needs("curl", "apt-get install curl"),
  },
  inPython(
    "urllib",
    `from urllib.request import Request, urlopen
print("urllib", "%d.%d" % sys.version_info[:2])
print(urlopen(Request(url + "/whoami", headers=token)).status)
print(urlopen(Request(url + "${path}", order.encode(), typed)).status)
`,
  ),
  inPython(
    "requests",
    `import requests
print("requests", requests.__version__)
print(requests.get(url + "/whoami", headers=token).status_code)
print(requests.post(url + "${path}", data=order, headers=typed).status_code)
`,
  ),
  inPython(
    "httpx",
    `import httpx
print("httpx", httpx.__version__)
print(httpx.get(url + "/whoami", headers=token).status_code)
print(httpx.post(url + "${path}", content=order, headers=typed).status_code)
`,
  ),
  inPython(
    "aiohttp",
    `import asyncio, aiohttp
print("aiohttp", aiohttp.__version__)
async def main():
    async with aiohttp.ClientSession() as session:
        async with session.get(url + "/whoami", headers=token) as answer:
            print(answer.status)
        async with session.post(url + "${path}", data=order, headers=typed) as answer:
            print(answer.status)
asyncio.run(main())
`,
  ),
  {
    name: "Go",
    file: [
      "by_go.go",
      `package main

import (
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
)

func main() {
	fmt.Println("Go", strings.TrimPrefix(runtime.Version(), "go"))
	ask("GET", "/whoami", "")
	ask("POST", "${path}", \`${order}\`)
}

func ask(method, path, body string) {
	request, _ := http.NewRequest(method, os.Getenv("URL")+path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(answer.StatusCode)
}
`,
    ],
    line: "[ -x by_go ] || go build -o by_go by_go.go; ./by_go",
    needed: needs("go", "apt-get install golang-go"),
  },
  {
    name: "Java",
    file: [
      "by_java.java",
      `import java.net.URI;
import java.net.http.*;

class ByJava {
  static final HttpClient http = HttpClient.newHttpClient();

  public static void main(String[] args) throws Exception {
    System.out.println("Java " + Runtime.version().feature());
    ask(to("/whoami"));
    var order = HttpRequest.BodyPublishers.ofString(${JSON.stringify(order)});
    ask(to("${path}").header("Content-Type", "application/json").POST(order));
  }

  static HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(URI.create(System.getenv("URL") + path))
        .header("Authorization", "Bearer " + System.getenv("TOKEN"));
  }

  static void ask(HttpRequest.Builder request) throws Exception {
    System.out.println(http.send(request.build(), HttpResponse.BodyHandlers.ofString()).statusCode());
  }
}
`,
    ],
    line: "[ -e ByJava.class ] || javac by_java.java; java -cp . ByJava",
    needed: needs("javac", "apt-get install openjdk-17-jdk-headless"),
  },
  {
    name: "fetch",
    file: [
      "by_fetch.mjs",
      `${javascript}
console.log("fetch", process.versions.node)
console.log((await fetch(url + "/whoami", { headers: token })).status)
console.log((await fetch(url + "${path}", { method: "POST", body: order, headers: typed })).status)
`,
    ],
    line: `"${process.execPath}" by_fetch.mjs`,
    needed: {},
  },
  {
    name: "undici",
    file: [
      "by_undici.mjs",
      `import { request } from "undici"
import { createRequire } from "node:module"
${javascript}
console.log("undici", createRequire(import.meta.url)("undici/package.json").version)
console.log((await request(url + "/whoami", { headers: token })).statusCode)
console.log((await request(url + "${path}", { method: "POST", body: order, headers: typed })).statusCode)
`,
    ],
    line: `"${process.execPath}" by_undici.mjs`,
    needed: {},
  },
]

export async function writeClients(directory: string): Promise<void> {
  for (const { file } of httpClients) await writeFile(join(directory, file[0]), file[1])
}

/** Headers that say what is sent and by whom, and offer or ask nothing. */
const plain =
  /^(?:host|authorization|user-agent|content-type|content-length|accept|(?:proxy-)?connection)$/i

/** Notes what clients send besides plain headers, answers everything, and can be named as a proxy. */
export async function startRecorder(t: Pick<TestContext, "after">) {
  const sent = new Set<string>()
  const targets: string[] = []
  const server = createServer((request, response) => {
    targets.push(request.url ?? "")
    const { rawHeaders: words } = request
    for (let index = 0; index < words.length; index += 2) {
      const [name = "", value = ""] = words.slice(index, index + 2)
      if (!plain.test(name))
        sent.add(/^(?:upgrade|expect|te)$/i.test(name) ? `${name}: ${value}` : name)
    }
    request.resume().on("end", () => response.end("{}"))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, sent, targets }
}
