import { Loaded } from '../../parts/loaded.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Pill } from '../../parts/pill.tsx'
import { RunHead } from '../../parts/run-head.tsx'
import { href } from '../../router.ts'
import { ended } from '../../state-family.ts'
import { Criteria } from './criteria.tsx'
import { useAcceptance } from './use-acceptance.ts'

/** The acceptance criteria of all stories of a Run, with the tests that no editor sees. */
export function AcceptancePage({ run }: { readonly run: string }) {
  return (
    <div className="page">
      <RunHead run={run} title="Acceptance" />
      <Loaded query={useAcceptance(run)} what="the criteria">
        {({ stories }) =>
          stories.length === 0 ? (
            <Empty icon="checks" title="No architect writes tests here">
              <p>The stories of a spec have such tests. A task has them if it is started with them.</p>
            </Empty>
          ) : (
            <div className="stack">
              {stories.map(({ story, title, state, acceptance }) => (
                <section key={story} className="card" aria-label={title}>
                  <div className="card-head">
                    <h2>
                      <a href={href('runs', run, 'stories', story)}>{title}</a>
                    </h2>
                    <span className="spread">
                      <Pill state={state} />
                    </span>
                  </div>
                  <div className="card-body">
                    <Criteria {...{ run, story, acceptance }} isOver={ended.includes(state)} />
                  </div>
                </section>
              ))}
            </div>
          )
        }
      </Loaded>
    </div>
  )
}
