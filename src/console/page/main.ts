import { render } from "./lib/lit-html.js"
import { forgetSession, openSession, proofOfSession, takeSecret, type Answered } from "./session.ts"
import { showConsole } from "./show-console.ts"
import { noSession } from "./views/no-session.ts"

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
