import { useState } from 'react'
import { useDraft } from '../../data/draft.ts'
import { useOperation } from '../../data/operation.ts'
import { useChoices } from '../../data/queries.ts'
import { forOperators } from '../../parts/for-operators.tsx'
import { Problem } from '../../parts/notice.tsx'
import { OtherRole } from '../../parts/other-role.tsx'
import { navigate } from '../../router.ts'
import { asConfigured, lines, StartFields, startOf } from './start-fields.tsx'

const kinds = {
  spec: 'Build a spec',
  interview: 'Write a spec',
  task: 'One task',
} as const

type Kind = keyof typeof kinds

const isKind = (name: string): name is Kind => Object.hasOwn(kinds, name)

/** Starts a spec with the crew, an interview that leads to a spec, or a single task. */
export const StartPage = forOperators(StartForms, () => <OtherRole needs="operator" />)

function StartForms() {
  const [draft, setKind] = useDraft('start.kind')
  const kind = isKind(draft) ? draft : 'spec'
  const problem = useChoices().data?.gate_problem
  return (
    <div className="page narrow">
      <header className="page-head">
        <div>
          <h1>Start</h1>
          <p className="sub">The result is a new branch. Your working tree stays untouched.</p>
        </div>
      </header>
      {problem && (
        <div className="problem" role="status">
          <strong>{problem.message}</strong>
          <p>{problem.todo}</p>
        </div>
      )}
      <fieldset className="segmented">
        <legend className="visually-hidden">What to start</legend>
        {(['spec', 'interview', 'task'] as const).map((each) => (
          <label key={each}>
            <input type="radio" name="kind" checked={kind === each} onChange={() => setKind(each)} />
            {kinds[each]}
          </label>
        ))}
      </fieldset>
      {kind === 'spec' ? <SpecForm /> : kind === 'interview' ? <InterviewForm /> : <TaskForm />}
    </div>
  )
}

/** Opens the started Run and clears its drafts. */
export const openAfter =
  (...clears: readonly (() => void)[]) =>
  ({ run }: { readonly run: string }) => {
    for (const clear of clears) clear()
    navigate('runs', run)
  }

function SpecForm() {
  const [spec, setSpec, clear] = useDraft('start.spec')
  const [review, setReview] = useState(false)
  const [again, setAgain] = useState(false)
  const [more, setMore] = useState(asConfigured)
  const start = useOperation('startRun')
  return (
    <form
      className="card card-body"
      onSubmit={(event) => {
        event.preventDefault()
        start.mutate({ spec, review_stories: review, again, ...startOf(more) }, { onSuccess: openAfter(clear) })
      }}
    >
      <label className="field">
        <span>Spec</span>
        <textarea
          className="input tall"
          required
          value={spec}
          placeholder={'# What to build\n\nWhat must hold when it is done.'}
          onChange={({ target }) => setSpec(target.value)}
        />
        <small>Markdown. The architect splits it into stories.</small>
      </label>
      <label className="check">
        <input type="checkbox" checked={review} onChange={({ target }) => setReview(target.checked)} />
        Ask me before any story starts
      </label>
      <label className="check">
        <input type="checkbox" checked={again} onChange={({ target }) => setAgain(target.checked)} />
        Start over, even if the same spec was built before
      </label>
      <StartFields values={more} change={setMore} edits="crew" />
      {start.isError && <Problem error={start.error} />}
      <div className="row">
        <button type="submit" className="button primary" disabled={spec.trim() === '' || start.isPending}>
          {start.isPending ? 'Starting…' : 'Build it'}
        </button>
      </div>
    </form>
  )
}

function InterviewForm() {
  const [text, setText, clear] = useDraft('start.interview')
  const [more, setMore] = useState(asConfigured)
  const start = useOperation('startInterview')
  return (
    <form
      className="card card-body"
      onSubmit={(event) => {
        event.preventDefault()
        start.mutate({ text, ...startOf(more) }, { onSuccess: openAfter(clear) })
      }}
    >
      <label className="field">
        <span>What do you want?</span>
        <textarea
          className="input"
          required
          value={text}
          placeholder="Durations should understand weeks"
          onChange={({ target }) => setText(target.value)}
        />
        <small>A sentence is enough. The architect asks you the rest and writes the spec. Nothing is built yet.</small>
      </label>
      <StartFields values={more} change={setMore} edits="nobody" />
      {start.isError && <Problem error={start.error} />}
      <div className="row">
        <button type="submit" className="button primary" disabled={text.trim() === '' || start.isPending}>
          {start.isPending ? 'Starting…' : 'Ask me questions'}
        </button>
      </div>
    </form>
  )
}

function TaskForm() {
  const [task, setTask, clear] = useDraft('start.task')
  const [criteria, setCriteria, clearCriteria] = useDraft('start.criteria')
  const [constraints, setConstraints, clearConstraints] = useDraft('start.constraints')
  const [nonGoals, setNonGoals, clearNonGoals] = useDraft('start.non_goals')
  const [files, setFiles, clearFiles] = useDraft('start.files')
  const [dryRun, setDryRun] = useState(false)
  const [review, setReview] = useState(false)
  const [reviewPlan, setReviewPlan] = useState(false)
  const [acceptance, setAcceptance] = useState(false)
  const [more, setMore] = useState(asConfigured)
  const start = useOperation('startTask')
  const lists = [
    { title: 'Done when', value: criteria, set: setCriteria },
    { title: 'Must hold', value: constraints, set: setConstraints },
    { title: 'Leave alone', value: nonGoals, set: setNonGoals },
    { title: 'Files to read first', value: files, set: setFiles },
  ]
  return (
    <form
      className="card card-body"
      onSubmit={(event) => {
        event.preventDefault()
        start.mutate(
          {
            task,
            criteria: lines(criteria),
            constraints: lines(constraints),
            non_goals: lines(nonGoals),
            files: lines(files),
            dry_run: dryRun,
            review,
            review_plan: reviewPlan,
            acceptance,
            ...startOf(more),
          },
          { onSuccess: openAfter(clear, clearCriteria, clearConstraints, clearNonGoals, clearFiles) },
        )
      }}
    >
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
      <details>
        <summary>More details</summary>
        <div className="stack">
          {lists.map(({ title, value, set }) => (
            <label key={title} className="field">
              <span>{title}</span>
              <textarea className="input short" value={value} onChange={({ target }) => set(target.value)} />
              <small>One per line.</small>
            </label>
          ))}
        </div>
      </details>
      <label className="check">
        <input type="checkbox" checked={reviewPlan} onChange={({ target }) => setReviewPlan(target.checked)} />
        Ask me before any file changes
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={review}
          disabled={dryRun}
          onChange={({ target }) => setReview(target.checked)}
        />
        An architect reviews the work
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={acceptance}
          disabled={dryRun}
          onChange={({ target }) => setAcceptance(target.checked)}
        />
        An architect writes tests that the editor does not see
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={dryRun}
          disabled={review || acceptance}
          onChange={({ target }) => setDryRun(target.checked)}
        />
        Only show me the diff; write and verify nothing
      </label>
      <StartFields values={more} change={setMore} edits={review ? 'crew' : 'alone'} />
      {start.isError && <Problem error={start.error} />}
      <div className="row">
        <button type="submit" className="button primary" disabled={task.trim() === '' || start.isPending}>
          {start.isPending ? 'Starting…' : 'Start the task'}
        </button>
      </div>
    </form>
  )
}
