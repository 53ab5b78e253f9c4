import type { Key } from "../../asks.ts"
import { html, type TemplateResult } from "../lib/lit-html.js"
import type { Model } from "../model.ts"
import { dateWords, shortHex, spanWords } from "../words.ts"

const dayMs = 86_400_000

/** Keys with whether they can sign now, and how long their agents' approvals last. */
export function keysPanel({ look }: Model): TemplateResult {
  const keys = look?.keys ?? []
  const nowMs = look?.at ?? 0
  return html`<section class="panel" aria-labelledby="keys">
    <h2 id="keys">Keys</h2>
    ${
      keys.length === 0
        ? html`<p class="empty">No keys yet. <code>countersign keys generate</code> makes one.</p>`
        : html`<table class="keys">
            <caption class="hidden">
              Keys, their approvals and when they signed last
            </caption>
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">Approval</th>
                <th scope="col">Signed</th>
              </tr>
            </thead>
            <tbody>
              ${keys.map((key) => keyRow(key, nowMs))}
            </tbody>
          </table>`
    }
  </section>`
}

function keyRow(key: Key, nowMs: number): TemplateResult {
  const { name, role, wallet, address, last_used: lastMs } = key
  const { words, tone } = approvalOf(key, nowMs)
  return html`<tr>
    <th scope="row">
      ${name} ${key.locked ? html`<strong class="locked">locked</strong>` : ""}
      <span class="quiet" title=${address}
        >${role}${wallet === null ? "" : ` of ${wallet}`}, ${shortHex(address)}</span
      >
    </th>
    <td
      class=${tone}
      title=${key.expires_at === null ? "" : `Ends on ${dateWords(key.expires_at)}`}
    >
      ${words}
    </td>
    <td>${lastMs === null ? "never" : `${spanWords(nowMs - lastMs)} ago`}</td>
  </tr>`
}

type Approval = { readonly words: string; readonly tone: "" | "nearly" | "spent" }

function approvalOf({ role, approval, expires_at: endMs }: Key, nowMs: number): Approval {
  if (role === "wallet") return { words: "needs none", tone: "" }
  if (approval !== "approved") {
    return { words: approval === "unknown" ? "not approved yet" : approval, tone: "nearly" }
  }
  if (endMs === null) return { words: "approved", tone: "" }
  const leftMs = endMs - nowMs
  if (leftMs <= 0) return { words: "has ended", tone: "spent" }
  return {
    words: `${spanWords(leftMs)} left`,
    tone: leftMs < dayMs ? "spent" : leftMs < 7 * dayMs ? "nearly" : "",
  }
}
