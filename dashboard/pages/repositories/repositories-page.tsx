import type { Repository } from '../../../src/api/repositories.ts'
import { plural } from '../../figures-text.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty, Problem } from '../../parts/notice.tsx'
import { Pill } from '../../parts/pill.tsx'
import { ScrollBox } from '../../parts/scroll-box.tsx'
import { Cost } from '../../parts/spending.tsx'
import { Age, Time } from '../../parts/time.tsx'
import { href } from '../../router.ts'
import { badgeOf } from '../../state-family.ts'
import { useOpenRepository, useRepositories } from './use-repositories.ts'
import './repositories.css'

/** All repositories in which the user works with Drydock, side by side. */
export function RepositoriesPage() {
  const query = useRepositories({ again: true })
  const open = useOpenRepository()
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>Repositories</h1>
          <p className="sub">
            Every repository that Drydock has worked on here, with its newest runs. Each keeps its own state and its own
            server.
          </p>
        </div>
      </header>
      {open.isError && <Problem error={open.error} />}
      {!query.isEnabled ? (
        <Empty icon="branch" title="A hub has one repository" />
      ) : (
        <Loaded query={query} what="the repositories">
          {({ repositories }) => (
            <ul className="repositories">
              {repositories.map((repository) => (
                <li key={repository.id}>
                  <RepositoryCard
                    repository={repository}
                    isBusy={open.isPending}
                    open={(to) => open.mutate({ id: repository.id, to })}
                  />
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      )}
    </div>
  )
}

interface CardProps {
  readonly repository: Repository
  readonly isBusy: boolean
  readonly open: (to: string) => void
}

function RepositoryCard({ repository, isBusy, open }: CardProps) {
  const { name, path, place, current, owned, problem, runs, total_runs, escalations } = repository
  return (
    <section className="card" aria-label={path === null ? name : `${name} in ${path}`}>
      <div className="card-head repository-head">
        <h2>{name}</h2>
        <span className="sub">{path ?? 'Its folder is not known. Use Drydock in it once.'}</span>
        {current && <span className="origin">this one</span>}
        {owned && <span className="origin">at work</span>}
        <span className="row spread">
          {place === 'here' && !current && (
            <>
              <button type="button" className="button" disabled={isBusy} onClick={() => open('start')}>
                Start something
              </button>
              <button type="button" className="button primary" disabled={isBusy} onClick={() => open('')}>
                {isBusy ? 'Opening…' : `Open ${name}`}
              </button>
            </>
          )}
        </span>
      </div>
      <div className="card-body stack">
        {place === 'gone' && <p className="notice quiet">There is no such repository at this place any more.</p>}
        {problem && (
          <p className="notice quiet">
            {problem.message} {problem.todo}
          </p>
        )}
        {escalations.length > 0 && (
          <p>
            <a href={href('questions')}>{plural(escalations.length, 'question')}</a> for you
          </p>
        )}
        {runs.length === 0 ? (
          problem === null && <p className="sub">No runs yet.</p>
        ) : (
          <RunTable repository={repository} />
        )}
        {total_runs > runs.length && (
          <p className="sub">
            The newest {runs.length} of {plural(total_runs, 'run')}.
          </p>
        )}
      </div>
    </section>
  )
}

/** Runs to compare: their results, times and costs. */
function RunTable({ repository: { name, runs, current } }: { readonly repository: Repository }) {
  return (
    <ScrollBox label={`Runs of ${name}`}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">Outcome</th>
            <th scope="col">Stories</th>
            <th scope="col">Started</th>
            <th scope="col">Took</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.run}>
              <th scope="row">{current ? <a href={href('runs', run.run)}>{run.title}</a> : run.title}</th>
              <td>
                <Pill state={badgeOf(run)} label={run.outcome.label} title={run.outcome.sentence} />
              </td>
              <td>{run.stories.total === 0 ? '–' : `${run.stories.done}/${run.stories.total}`}</td>
              <td>
                <Time at={run.started_at} />
              </td>
              <td>
                <Age since={run.started_at} until={run.ended_at} />
              </td>
              <td>
                <Cost of={run.spending} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}
