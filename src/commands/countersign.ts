import { Command } from "commander"

import { version } from "../version.ts"
import { agentApprove } from "./agent/approve.ts"
import { agentRenew } from "./agent/renew.ts"
import { agentRevoke } from "./agent/revoke.ts"
import { agentRotate } from "./agent/rotate.ts"
import { agentStatus } from "./agent/status.ts"
import { auditArchive } from "./audit/archive.ts"
import { auditExport } from "./audit/export.ts"
import { auditShow } from "./audit/show.ts"
import { auditTail } from "./audit/tail.ts"
import { auditVerify } from "./audit/verify.ts"
import { backup } from "./backup.ts"
import { clientsAdd } from "./clients/add.ts"
import { clientsList } from "./clients/list.ts"
import { clientsRevoke } from "./clients/revoke.ts"
import { clientsRotate } from "./clients/rotate.ts"
import { clockAccept } from "./clock/accept.ts"
import { completion } from "./completion.ts"
import { demo } from "./demo.ts"
import { doctor } from "./doctor.ts"
import { freeze, thaw } from "./freeze.ts"
import { init } from "./init.ts"
import { keysExport } from "./keys/export.ts"
import { keysGenerate } from "./keys/generate.ts"
import { keysImport } from "./keys/import.ts"
import { keysList } from "./keys/list.ts"
import { keysRemove } from "./keys/remove.ts"
import { keysShow } from "./keys/show.ts"
import { keysTargets } from "./keys/targets.ts"
import { heldRefuse, heldRelease } from "./held/decide.ts"
import { heldList } from "./held/list.ts"
import { ledgerAcceptRestore } from "./ledger/accept-restore.ts"
import { limitsRaise } from "./limits/raise.ts"
import { limitsShow } from "./limits/show.ts"
import { lock } from "./lock.ts"
import { panic } from "./panic.ts"
import { policyAccept } from "./policy/accept.ts"
import { policyCheck } from "./policy/check.ts"
import { policyExplain } from "./policy/explain.ts"
import { policyReload } from "./policy/reload.ts"
import { policyReplay } from "./policy/replay.ts"
import { policyRollback } from "./policy/rollback.ts"
import { policyShow } from "./policy/show.ts"
import { pricesSet } from "./prices/set.ts"
import { pricesShow } from "./prices/show.ts"
import { sandbox } from "./sandbox.ts"
import { serve } from "./serve.ts"
import { status } from "./status.ts"
import { unlock } from "./unlock.ts"
import { withoutValues } from "./usage-error.ts"

/** The whole command line. Its tree is the tree of files beside this one. */
export function countersign(): Command {
  const program = new Command("countersign")
    .description("Signs what trading bots ask for, as far as your policies allow.")
    .version(version)
    .showHelpAfterError("(countersign --help shows what there is)")
  for (const made of [...singleCommands(), ...keyGroups(), ...policyGroups()]) {
    program.addCommand(made)
  }
  throwOnUsageErrors(program)
  return program
}

function singleCommands(): readonly Command[] {
  const daemon = [init(), serve(), status(), freeze(), thaw(), panic()]
  return [...daemon, lock(), unlock(), backup(), doctor(), demo(), sandbox(), completion()]
}

function keyGroups(): readonly Command[] {
  return [
    group(
      "keys",
      "private keys",
      keysGenerate(),
      keysImport(),
      keysExport(),
      keysList(),
      keysShow(),
      keysTargets(),
      keysRemove(),
    ),
    group(
      "agent",
      "agent keys and their approvals",
      agentStatus(),
      agentApprove(),
      agentRotate(),
      agentRevoke(),
      agentRenew(),
    ),
    group(
      "clients",
      "bots and their tokens",
      clientsAdd(),
      clientsList(),
      clientsRotate(),
      clientsRevoke(),
    ),
  ]
}

function policyGroups(): readonly Command[] {
  return [
    group(
      "policy",
      "what bots may do",
      policyCheck(),
      policyExplain(),
      policyReload(),
      policyAccept(),
      policyRollback(),
      policyShow(),
      policyReplay(),
    ),
    group("limits", "what may be spent over time", limitsShow(), limitsRaise()),
    group("prices", "reference prices", pricesSet(), pricesShow()),
    group("held", "requests that wait for a person", heldList(), heldRelease(), heldRefuse()),
    auditGroup(),
    group("ledger", "the record itself", ledgerAcceptRestore()),
    group("clock", "the clock's standing", clockAccept()),
  ]
}

function auditGroup(): Command {
  const parts = [auditTail(), auditShow(), auditVerify(), auditExport(), auditArchive()]
  return group("audit", "what was recorded", ...parts)
}

function group(name: string, description: string, ...commands: readonly Command[]): Command {
  const made = new Command(name).description(description)
  for (const each of commands) made.addCommand(each)
  return made
}

/** commander would end the process with 1; usage errors are ours to end with 2. */
function throwOnUsageErrors(made: Command): void {
  made.exitOverride()
  made.configureOutput({ outputError: (text, write) => write(withoutValues(text)) })
  for (const each of made.commands) throwOnUsageErrors(each)
}
