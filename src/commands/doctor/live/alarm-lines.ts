import { isTaken, type Posted } from "../../../gate/notify/post-message.ts"
import { sendTest } from "../../notify/send-test.ts"
import { unreachable, type GateEgress } from "./gate-egress.ts"
import { holds, lacks, type LiveLine } from "./live-line.ts"

const egressFile = "/etc/systemd/system/countersign-gate.service.d/gate-egress.conf"

/** Whether alarms go somewhere, and get there: this process sends a message now, and the gate may go the same way. */
export async function alarmLines(
  webhook: string | null,
  egress: GateEgress,
): Promise<readonly LiveLine[]> {
  if (webhook === null) {
    const fix =
      'add to countersign.yaml notify: {webhook: "https://…"} and then run: countersign policy reload'
    return [lacks("alarms", "countersign.yaml names no webhook, so nobody is told.", fix)]
  }
  const { host, posted } = await sendTest(webhook, "countersign doctor --live")
  if (!isTaken(posted)) {
    const message = `${host} ${whyNot(posted)}, so nobody is told.`
    return [lacks("alarms", message, "countersign notify test")]
  }
  const closed = await unreachable(new URL(webhook).hostname, egress)
  if (closed.length === 0) {
    return [holds("alarms", `${host} took a message that this command sent just now.`)]
  }
  const message = `${host} took a message of this command, but the gate's unit doesn't let it reach ${closed.join(", ")}.`
  const fix = `add IPAddressAllow=${closed.join(" ")} to ${egressFile}, then run: systemctl daemon-reload && systemctl restart countersign-gate`
  return [lacks("alarms", message, fix)]
}

function whyNot(posted: Posted): string {
  return posted.kind === "answered" ? `answered HTTP ${posted.status}` : "gave no answer"
}
