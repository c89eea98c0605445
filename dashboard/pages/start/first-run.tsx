import { useState } from 'react'
import { useDraft } from '../../data/draft.ts'
import { isAlone } from '../../data/may.ts'
import { useOperation } from '../../data/operation.ts'
import { useChoices } from '../../data/queries.ts'
import { forOperators } from '../../parts/for-operators.tsx'
import { Empty, Problem } from '../../parts/notice.tsx'
import { StartLink } from '../../parts/start-link.tsx'
import { asConfigured, ChoiceFields, startOf } from './start-fields.tsx'
import { openAfter } from './start-page.tsx'

/** Leads from a repository without runs to a verified change, in three steps. */
export const FirstRun = forOperators(FirstSteps, () => (
  <Empty icon="board" title="Nothing has been built here yet">
    <p>An operator starts the first run.</p>
  </Empty>
))

function FirstSteps() {
  const { data: choices } = useChoices()
  const [task, setTask, clear] = useDraft('start.task')
  const [values, setValues] = useState(asConfigured)
  const start = useOperation('startTask')
  const { gate = null, gate_problem: problem = null } = choices ?? {}
  const isWithoutModel = choices !== undefined && choices.configured === null && values.model === ''
  return (
    <section className="card" aria-labelledby="first-run">
      <div className="card-head">
        <h2 id="first-run">Three steps to a verified change</h2>
      </div>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          start.mutate({ task, ...startOf(values) }, { onSuccess: openAfter(clear) })
        }}
      >
        <ol className="first-steps">
          <li>
            <div className="stack">
              <h3>Choose from what works here</h3>
              <div className="first-found sub">
                {problem !== null ? (
                  <div className="problem" role="status">
                    <strong>{problem.message}</strong>
                    <p>{problem.todo}</p>
                  </div>
                ) : gate === null ? (
                  'The repository and the providers are looked at…'
                ) : (
                  <>
                    A change has to pass <code>{gate.steps.join(', ')}</code>, which <code>{gate.source}</code> names.
                  </>
                )}
              </div>
              <ChoiceFields values={values} change={setValues} edits="alone" />
            </div>
          </li>
          <li>
            <div className="stack">
              <h3>Say what should change</h3>
              <label className="field">
                <span>Task</span>
                <textarea
                  className="input"
                  required
                  value={task}
                  placeholder="Fix the login timeout"
                  onChange={({ target }) => setTask(target.value)}
                />
              </label>
              {start.isError && <Problem error={start.error} />}
              <div className="row">
                <button
                  type="submit"
                  className="button primary"
                  disabled={task.trim() === '' || start.isPending || problem !== null || isWithoutModel}
                >
                  {start.isPending ? 'Starting…' : 'Start the task'}
                </button>
                <StartLink title="A spec, or more options" quiet />
              </div>
            </div>
          </li>
          <li>
            <div className="stack tight">
              <h3>Look at the proof, and merge</h3>
              <p className="sub">
                The page of the run shows the work as it happens, then the change, the steps that it has passed in a
                clean checkout, and its receipt. Merge it there. Your working tree stays untouched until then.
              </p>
            </div>
          </li>
        </ol>
      </form>
      {isAlone() && <DemoOffer />}
    </section>
  )
}

/** The demo has a repository of its own, and the page leaves for its server. */
function DemoOffer() {
  const demo = useOperation('startDemo', { onSuccess: ({ link }) => window.location.assign(link) })
  return (
    <aside className="demo-offer" aria-label="Demo">
      <div>
        <strong>Or watch it work first</strong>
        <p className="sub">
          A crew with a recorded model builds four stories on a small sample library. It needs no key. Git, sandbox,
          tests and merges are real, and it asks you one question.
        </p>
        {demo.isError && <Problem error={demo.error} />}
      </div>
      <button type="button" className="button" disabled={demo.isPending} onClick={() => demo.mutate({})}>
        {demo.isPending ? 'Opening…' : 'Start the demo'}
      </button>
    </aside>
  )
}
