import { html, render, type TemplateResult } from "./lib/lit-html.js"
import { type Answered, forgetSession, openSession, proofOfSession, takeSecret } from "./session.ts"
import { showConsole } from "./show-console.ts"
import { command } from "./views/command.ts"

const place = document.getElementById("console")
if (place === null) throw new Error("page.html has a place for the console")
const root = place

// A link that is opened where the page is already changes the fragment alone.
addEventListener("hashchange", () => void useLink().then(startAnew))

showWhatThereIs(await useLink())

/** Uses up the link in the address, if there is one. */
async function useLink(): Promise<Answered | undefined> {
  const secret = takeSecret(window)
  return secret === undefined ? undefined : openSession(secret)
}

/** Whatever is shown is of another session, or of none. A link that opens nothing changes nothing in a console. */
function startAnew(opened: Answered | undefined): void {
  if (opened?.ok === true) location.reload()
  else if (proofOfSession() === undefined) showWhatThereIs(opened)
}

function showWhatThereIs(opened: Answered | undefined): void {
  if (opened?.ok === false) {
    showDoor("This link doesn't open the console", opened.why)
    return
  }
  if (proofOfSession() === undefined) {
    showDoor("The console needs a link", "Only who runs the daemon can look at it.")
    return
  }
  showConsole(root, (why) => {
    forgetSession()
    showDoor("This session has ended", why)
  })
}

function showDoor(title: string, sentence: string): void {
  document.title = `${title} · Countersign`
  render(noSession(title, sentence), root)
}

/** What there is to see without a session: how to come by one. */
function noSession(title: string, sentence: string): TemplateResult {
  return html`<main class="door">
    <p class="brand">Countersign</p>
    <h1>${title}</h1>
    <p>${sentence}</p>
    <p>On the machine where the daemon runs, as the user who runs it, or with sudo:</p>
    ${command("countersign console")}
    <p class="quiet">
      It prints a link to this page that works once, within a minute, and serves the page until you
      end it.
    </p>
  </main>`
}
