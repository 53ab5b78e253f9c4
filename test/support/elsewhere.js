// Runs in a browser, on a page of another origin than the console's at `target`. Each attempt tells what it
// could read of an answer; what it could do is seen at the daemon.

globalThis.attempts = {
  "fetch of the page": (target) => readOf(fetch(`${target}/`, withCookies)),
  "fetch of its code": (target) => readOf(fetch(`${target}/assets/main.js`, withCookies)),
  "look as JSON": (target) =>
    readOf(fetch(`${target}/look`, { ...post, body: "{}", headers: json })),
  "look as JSON with a proof": (target) =>
    readOf(fetch(`${target}/look`, { ...post, body: "{}", headers: { ...json, ...proof } })),
  "look without CORS": (target) =>
    readOf(fetch(`${target}/look`, { ...post, body: "{}", mode: "no-cors" })),
  "freeze as JSON": (target) => readOf(fetch(`${target}/freeze`, { ...post, headers: json })),
  "freeze as JSON with a proof": (target) =>
    readOf(fetch(`${target}/freeze`, { ...post, headers: { ...json, ...proof } })),
  "freeze as text": (target) => readOf(fetch(`${target}/freeze`, post)),
  "freeze as text without CORS": (target) =>
    readOf(fetch(`${target}/freeze`, { ...post, mode: "no-cors" })),
  "end without CORS": (target) =>
    readOf(fetch(`${target}/end`, { ...post, body: "{}", mode: "no-cors" })),
  "log in as JSON": (target) =>
    readOf(fetch(`${target}/session`, { ...post, body: secret, headers: json })),
  beacon: (target) => {
    navigator.sendBeacon(`${target}/freeze`, post.body)
    return nothing
  },
  XMLHttpRequest: (target) => {
    const request = new XMLHttpRequest()
    request.withCredentials = true
    request.open("POST", `${target}/look`)
    request.send("{}")
    return firstOf(request, { load: () => request.responseText, error: () => nothing })
  },
  EventSource: (target) => {
    const source = new EventSource(`${target}/look`, { withCredentials: true })
    const told = firstOf(source, { open: () => "a stream", error: () => nothing })
    return told.finally(() => source.close())
  },
  "form into a frame": (target) => {
    const frame = added("iframe", { name: "answer" })
    const form = added("form", {
      ...{ method: "post", action: `${target}/freeze`, target: "answer" },
      enctype: "text/plain",
    })
    // As text/plain it is sent as {"reason":"a form=a form"}.
    form.append(
      Object.assign(document.createElement("input"), {
        name: '{"reason":"a form',
        value: 'a form"}',
      }),
    )
    form.submit()
    return firstOf(frame, { load: () => readOfFrame(frame) })
  },
  img: (target) => loaded(added("img", { src: `${target}/assets/icon.svg` })),
  script: (target) => loaded(added("script", { src: `${target}/assets/main.js` })),
  "module script": (target) =>
    loaded(added("script", { type: "module", src: `${target}/assets/main.js` })),
  stylesheet: (target) =>
    loaded(added("link", { rel: "stylesheet", href: `${target}/assets/style.css` })),
  iframe: (target) => {
    const frame = added("iframe", { src: `${target}/` })
    return firstOf(frame, { load: () => readOfFrame(frame) })
  },
  "window.open": async (target) => {
    const opened = open(`${target}/`)
    const lastMs = performance.now() + 30_000
    // It is cut off once the page is there: to who opened it, it is closed then.
    while (!opened.closed) {
      if (performance.now() > lastMs) return "it stays in reach"
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return readOfWindow(opened)
  },
}

/** Tries all of it, one after the other, and tells what each could read. */
globalThis.tryAll = async (target) => {
  const read = {}
  for (const [name, attempt] of Object.entries(attempts)) read[name] = await attempt(target)
  return read
}

const nothing = "nothing"
const withCookies = { credentials: "include" }
const json = { "content-type": "application/json" }
const proof = { "Countersign-Console": "p".repeat(43) }
const secret = JSON.stringify({ secret: "s".repeat(43) })
const post = { ...withCookies, method: "POST", body: '{"reason":"from elsewhere"}' }

/** The beginning of an answer's body. */
async function readOf(asked) {
  try {
    const { body } = await asked
    const { value } = (await body?.getReader().read()) ?? {}
    return value === undefined ? nothing : new TextDecoder().decode(value)
  } catch {
    return nothing
  }
}

function firstOf(target, events) {
  return new Promise((resolve) => {
    for (const [name, read] of Object.entries(events)) {
      target.addEventListener(name, () => resolve(read()), { once: true })
    }
  })
}

function loaded(element) {
  return firstOf(element, { load: () => "it was loaded", error: () => nothing })
}

function added(name, properties) {
  const element = Object.assign(document.createElement(name), properties)
  document.body.append(element)
  return element
}

function readOfFrame(frame) {
  return frame.contentDocument === null ? nothing : frame.contentDocument.body.textContent
}

function readOfWindow(opened) {
  try {
    return opened.document?.body.textContent ?? nothing
  } catch {
    return nothing
  }
}
