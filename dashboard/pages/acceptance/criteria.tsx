import { useState } from 'react'
import type { StoryAcceptance as Acceptance, StoryTests as Tests } from '../../../src/api/acceptance.ts'
import { useOperation } from '../../data/operation.ts'
import { useStoryTests } from '../../data/queries.ts'
import { forOperators } from '../../parts/for-operators.tsx'
import { InlineCode } from '../../parts/inline-code.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Problem } from '../../parts/notice.tsx'
import { Pill } from '../../parts/pill.tsx'
import { Preformatted } from '../../parts/preformatted.tsx'
import { EditTests, textOf } from './edit-tests.tsx'

type Criterion = Acceptance['criteria'][number]

const states: Readonly<Record<Acceptance['state'], string>> = {
  WRITING: 'An architect writes tests of these criteria.',
  READING: 'Another architect looks for what demands each expected value.',
  TRYING: 'The tests are tried on the base commit.',
  READY: 'A whole change is verified with these tests.',
  CANCELLED: 'The story ended before its tests were ready.',
}

interface CriteriaProps {
  readonly run: string
  readonly story: string
  readonly acceptance: Acceptance
  /** True if the story has ended: its tests decide about nothing any more. */
  readonly isOver: boolean
}

/** Shows how far the tests of each criterion are, which the editor of the story does not see. */
export function Criteria({ run, story, acceptance, isOver }: CriteriaProps) {
  const isOpen = acceptance.state === 'READY' && !isOver
  return (
    <>
      <p className="sub">{states[acceptance.state]} Its editor does not see them.</p>
      <ul className="criteria">
        {acceptance.criteria.map((criterion) => (
          <li key={criterion.id} data-criterion={criterion.id}>
            <Pill state={criterion.word} />
            <div className="stack tight">
              <p>
                <code>{criterion.id}</code> <InlineCode text={criterion.text} />
              </p>
              {decisionOf(criterion) !== null && <p className="sub">{decisionOf(criterion)}</p>}
            </div>
            {isOpen && !untested.includes(criterion.word) && <Decide run={run} story={story} criterion={criterion} />}
          </li>
        ))}
      </ul>
      <ShownTests run={run} story={story} isOpen={isOpen} />
    </>
  )
}

const untested: readonly Criterion['word'][] = ['unwritten', 'untested', 'dropped']

/** The person or architect who has decided about its tests; null if nobody has. */
function decisionOf({ judged, confirmed, why }: Criterion): string | null {
  const by = judged === null ? (confirmed ? 'confirmed' : null) : `test ${judged.decision} by ${judged.by}`
  return [by, why].filter(Boolean).join(': ') || null
}

interface Deciding {
  readonly run: string
  readonly story: string
  readonly criterion: Criterion
}

/** A person accepts a test, so that it decides, or removes it. */
const Decide = forOperators(function Decide({ run, story, criterion: { id, confirmed } }: Deciding) {
  const decide = useOperation('decideTests')
  return (
    <div className="row">
      {!confirmed && (
        <button
          type="button"
          className="button"
          disabled={decide.isPending}
          onClick={() => decide.mutate({ run, story, confirm: [id] })}
        >
          Confirm<span className="visually-hidden"> {id}</span>
        </button>
      )}
      <button
        type="button"
        className="button"
        disabled={decide.isPending}
        onClick={() => decide.mutate({ run, story, drop: [id] })}
      >
        Drop<span className="visually-hidden"> {id}</span>
      </button>
      {decide.isError && <Problem error={decide.error} />}
    </div>
  )
})

interface TestsProps extends Pick<Deciding, 'run' | 'story'> {
  /** True while the tests can still be changed. */
  readonly isOpen: boolean
}

/** The tests themselves, once somebody wants them. */
const ShownTests = forOperators(function ShownTests({ run, story, isOpen }: TestsProps) {
  const [open, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Show the tests</summary>
      {open && <Texts run={run} story={story} isOpen={isOpen} />}
    </details>
  )
})

function Texts({ run, story, isOpen }: TestsProps) {
  const [edited, setEdited] = useState<string | null>(null)
  return (
    <Loaded query={useStoryTests(run, story)} what="the tests">
      {({ criteria, files, stub }) => (
        <div className="stack tight">
          <Names criteria={criteria} />
          {[...files, ...stub].length === 0 && <p className="sub">There are none.</p>}
          {[...files, ...stub].map(({ path, content }) => (
            <div key={path} className="stack tight">
              <div className="row">
                <span className="mono">{path}</span>
                {isOpen && files.some((file) => file.path === path) && (
                  <button type="button" className="button spread" onClick={() => setEdited(path)}>
                    Edit<span className="visually-hidden"> {path}</span>
                  </button>
                )}
              </div>
              <Preformatted label={path}>{textOf(content)}</Preformatted>
            </div>
          ))}
          {isOpen && (
            <div className="row">
              <button type="button" className="button" onClick={() => setEdited('')}>
                Add a file
              </button>
            </div>
          )}
          {edited !== null && (
            <EditTests
              {...{ run, story, criteria }}
              file={files.find(({ path }) => path === edited) ?? null}
              close={() => setEdited(null)}
            />
          )}
        </div>
      )}
    </Loaded>
  )
}

function Names({ criteria }: Pick<Tests, 'criteria'>) {
  const lines = criteria.flatMap(({ id, tests, problems }) => [
    ...tests.map((name) => `${id}: ${name}`),
    ...problems.map((problem) => `${id} does not hold: ${problem}`),
  ])
  return lines.length === 0 ? null : <Preformatted label="Names of the tests">{lines.join('\n')}</Preformatted>
}
