import { useState } from 'react'
import type { RunDetail } from '../../../src/api/runs.ts'
import { useOperation } from '../../data/operation.ts'
import { forOperators } from '../../parts/for-operators.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { Problem } from '../../parts/notice.tsx'
import { navigate } from '../../router.ts'

interface SpecProps {
  readonly spec: NonNullable<RunDetail['spec']>
}

/** The spec that an interview has produced: read it, edit it, build it. */
export const WrittenSpec = forOperators(EditedSpec, ({ spec }) => (
  <section className="card card-body" aria-label="Spec">
    <Markdown text={spec.text} />
  </section>
))

function EditedSpec({ spec }: SpecProps) {
  const [text, setText] = useState(spec.text)
  const [isEdited, setEdited] = useState(false)
  const start = useOperation('startRun')
  const build = () => start.mutate({ spec: text }, { onSuccess: ({ run }) => navigate('runs', run) })
  return (
    <section className="card card-body" aria-label="Spec">
      {isEdited ? (
        <label className="field">
          <span>Spec</span>
          <textarea className="input tall" value={text} onChange={({ target }) => setText(target.value)} />
        </label>
      ) : (
        <Markdown text={text} />
      )}
      {spec.file !== null && (
        <p className="sub">
          The command that asked for it writes it to <code>{spec.file}</code>. Changes here are not written to that
          file.
        </p>
      )}
      {start.isError && <Problem error={start.error} />}
      <div className="row">
        <button
          type="button"
          className="button primary"
          disabled={text.trim() === '' || start.isPending}
          onClick={build}
        >
          {start.isPending ? 'Starting…' : 'Build it'}
        </button>
        <button type="button" className="button" onClick={() => setEdited(!isEdited)}>
          {isEdited ? 'Show it' : 'Edit it first'}
        </button>
      </div>
    </section>
  )
}

interface VagueProps {
  readonly vague: NonNullable<RunDetail['vague']>
  /** The original text of the spec. */
  readonly text: string
}

/** The gaps of a spec, and two ways to continue. */
export function VagueSpec({ vague, text }: VagueProps) {
  return (
    <section className="card card-body" aria-label="Too vague">
      <Markdown text={vague.reason} />
      <p>You have to decide:</p>
      <Markdown text={vague.missing.map((each) => `- ${each}`).join('\n')} />
      <WaysOn text={text} />
    </section>
  )
}

const WaysOn = forOperators(function WaysOn({ text }: Pick<VagueProps, 'text'>) {
  const interview = useOperation('startInterview')
  const start = useOperation('startRun')
  const open = { onSuccess: ({ run }: { readonly run: string }) => navigate('runs', run) }
  const problem = interview.error ?? start.error
  const isSent = interview.isPending || start.isPending
  return (
    <>
      {problem && <Problem error={problem} />}
      <div className="row">
        <button
          type="button"
          className="button primary"
          disabled={isSent}
          onClick={() => interview.mutate({ text }, open)}
        >
          Ask me questions
        </button>
        <button
          type="button"
          className="button"
          disabled={isSent}
          onClick={() => start.mutate({ spec: text, as_is: true }, open)}
        >
          Build it as it is
        </button>
      </div>
    </>
  )
})
