import { render } from "./lib/lit-html.js"
import { forgetSession, openSession, proofOfSession, takeSecret } from "./session.ts"
import { showConsole } from "./show-console.ts"
import { noSession } from "./views/no-session.ts"

const place = document.getElementById("console")
if (place === null) throw new Error("page.html has a place for the console")
const root = place

// A link that is opened where the page is already changes the fragment alone.
addEventListener("hashchange", () => void useLink().then((isUsed) => isUsed && location.reload()))

if ((await useLink()) !== false) showWhatThereIs()

/** Uses up the link in the address, if there is one: `false` where it opens nothing, which is said. */
async function useLink(): Promise<boolean | undefined> {
  const secret = takeSecret()
  if (secret === undefined) return undefined
  const opened = await openSession(secret)
  if (!opened.ok) showDoor("This link doesn't open the console", opened.why)
  return opened.ok
}

function showWhatThereIs(): void {
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
