import { useId, useState } from 'react'
import type { Escalation } from '../../../src/api/chat.ts'
import type { Finding } from '../../../src/api/stories.ts'
import { useDraft } from '../../data/draft.ts'
import { useHold } from '../../data/held.ts'
import { useOperation } from '../../data/operation.ts'
import { useStory } from '../../data/queries.ts'
import { plural } from '../../figures-text.ts'
import { forOperators } from '../for-operators.tsx'
import { InlineCode } from '../inline-code.tsx'
import { Problem } from '../notice.tsx'
import './evidence.css'

type Fate = 'accept' | 'insist'

interface Props {
  readonly asked: Escalation
  readonly story: string
}

/** The findings of the question, each to be accepted or insisted on. */
export const FindingFates = forOperators(function FindingFates({ asked, story }: Props) {
  const { data } = useStory(asked.run, story)
  const held = (data?.reviews ?? []).flatMap(({ findings }) => findings).filter(({ id }) => asked.findings.includes(id))
  return held.length > 0 ? <Fates asked={asked} story={story} held={held} /> : null
})

function Fates({ asked: { id, run }, story, held }: Props & { readonly held: readonly Finding[] }) {
  const [draft, setDraft, clear] = useDraft(`fates.${run}.${id}`)
  const fates = readFates(draft)
  const [reason, setReason] = useState('')
  const hold = useHold()
  const field = useId()
  const reply = useOperation('reply')
  const of = (fate: Fate) => held.filter((finding) => fates.get(finding.id) === fate)
  const [taken, insisted] = [of('accept'), of('insist')]
  const left = held.length - taken.length - insisted.length
  const isPending = hold.isHeld || reply.isPending
  const send = () => {
    const answer = insisted.length === 0 ? null : { message: id, text: answerOf(insisted, taken) }
    if (taken.length === 0) {
      if (answer !== null) reply.mutate({ id, text: answer.text }, { onSuccess: clear })
      return
    }
    // Accepting all findings is an answer by itself; otherwise the reply names the remaining work.
    const findings = taken.map((finding) => finding.id)
    const accept = { story, findings, ...(reason.trim() !== '' && { reason: reason.trim() }) }
    hold.mutate({ give: 'accept', run, accept, ...(answer !== null && { answer }) })
  }
  if (reply.isSuccess) return <p role="status">Sent. The work continues.</p>
  return (
    <section className="fates" aria-label="Findings to decide about">
      <ul>
        {held.map((finding) => (
          <li key={finding.id}>
            <fieldset>
              <legend>
                <strong>{finding.severity}</strong>{' '}
                <code>
                  {finding.file}
                  {finding.line !== undefined && `:${finding.line}`}
                </code>{' '}
                <InlineCode text={finding.claim} />
              </legend>
              {(['accept', 'insist'] as const).map((fate) => (
                <label key={fate} className="check">
                  <input
                    type="radio"
                    name={`${id} ${finding.id}`}
                    checked={fates.get(finding.id) === fate}
                    disabled={isPending}
                    onChange={() => setDraft(JSON.stringify([...fates, [finding.id, fate]]))}
                  />
                  {fate === 'accept' ? 'Accept it as it is' : 'Insist on it'}
                </label>
              ))}
            </fieldset>
          </li>
        ))}
      </ul>
      {taken.length > 0 && (
        <div className="field">
          <label htmlFor={field}>Why may they stay? The record keeps your words (optional).</label>
          <input
            id={field}
            className="input"
            maxLength={1_000}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        </div>
      )}
      {(hold.isError || reply.isError) && <Problem error={hold.error ?? reply.error} />}
      <div className="row">
        <button type="button" className="button primary" disabled={isPending || left > 0} onClick={send}>
          {reply.isPending ? 'Sending…' : sendLabel({ taken: taken.length, insisted: insisted.length })}
        </button>
        {left > 0 && <span className="sub">{plural(left, 'finding')} to decide about</span>}
      </div>
    </section>
  )
}

function sendLabel({ taken, insisted }: { readonly taken: number; readonly insisted: number }): string {
  const words = [taken > 0 ? `accept ${taken}` : null, insisted > 0 ? `insist on ${insisted}` : null]
  const said = words.filter((each) => each !== null).join(', ')
  return said === '' ? 'Send' : `${said.charAt(0).toUpperCase()}${said.slice(1)}`
}

function answerOf(insisted: readonly Finding[], taken: readonly Finding[]): string {
  const lines = insisted.map(({ id, file, claim }) => `- ${id} (${file}): ${claim.slice(0, 300)}`)
  const also = taken.length === 0 ? [] : [`I accept as they are: ${taken.map(({ id }) => id).join(', ')}`]
  return ['I insist on these findings. The change has to settle them:', ...lines, ...also].join('\n').slice(0, 4_000)
}

/** The page's stored draft; empty if it is invalid. */
function readFates(draft: string): ReadonlyMap<string, Fate> {
  try {
    return new Map(JSON.parse(draft === '' ? '[]' : draft) as readonly (readonly [string, Fate])[])
  } catch {
    return new Map()
  }
}
