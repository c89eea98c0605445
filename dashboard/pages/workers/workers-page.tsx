import type { WorkerList } from '../../../src/api/workers.ts'
import { useWorkers } from '../../data/workers.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Pill } from '../../parts/pill.tsx'
import { Age, Time } from '../../parts/time.tsx'
import { href } from '../../router.ts'
import { DrainButton } from './drain-button.tsx'
import './workers.css'

type WorkerRow = WorkerList['workers'][number]

/** The machines that work for the hub: their work and their health. */
export function WorkersPage() {
  return (
    <div className="page narrow">
      <header className="page-head">
        <div>
          <h1>Workers</h1>
          <p className="sub">The machines that work for this hub.</p>
        </div>
      </header>
      <Loaded query={useWorkers()} what="the workers">
        {({ workers }) => <All workers={workers} />}
      </Loaded>
    </div>
  )
}

function All({ workers }: WorkerList) {
  const hub = workers.find(({ name }) => name === 'hub')
  const others = workers.filter(({ name }) => name !== 'hub')
  return (
    <>
      <ul className="card workers" aria-label="Workers">
        {[...(hub ? [hub] : []), ...others].map((worker) => (
          <Row key={worker.host} worker={worker} hubs={hub?.version ?? null} />
        ))}
      </ul>
      {others.length === 0 && (
        <p className="notice quiet">
          No other machine works for this hub. On another machine: <code>drydock worker --hub {location.origin}</code>
        </p>
      )}
    </>
  )
}

const titles = {
  working: 'It takes work.',
  draining: 'It takes no new step, and ends when those under way have ended.',
  silent: 'It has given no sign of life for a while. If that goes on, its stories go on elsewhere.',
  lost: 'It was given up. Its stories go on elsewhere.',
  ended: 'It has ended in good order.',
} as const satisfies Readonly<Record<WorkerRow['state'], string>>

/** `hubs` is the version of the hub. */
function Row({ worker, hubs }: { readonly worker: WorkerRow; readonly hubs: string | null }) {
  const { name, host, slots, state, version, since, seen_at, silent_s } = worker
  const busy = slots.filter(({ run }) => run !== null).length
  const isOther = version !== null && hubs !== null && version !== hubs
  const isThere = silent_s !== null
  return (
    <li data-item tabIndex={-1} aria-label={name}>
      <div className="grow stack">
        <p className="row">
          <strong className="worker-name">{name}</strong>
          <Pill state={state.toUpperCase()} title={titles[state]} live={busy > 0 && isThere} />
        </p>
        <p className="row sub dotted">
          {name !== 'hub' && <span>{host}</span>}
          <span>
            {version === null ? 'version not known' : `Drydock ${version}`}
            {isOther && ', another than the hub'}
          </span>
          {since !== null && isThere && (
            <span>
              at work for <Age since={since} />
            </span>
          )}
          {seen_at !== null && (
            <span>
              last sign of life <Time at={seen_at} />
            </span>
          )}
          <span>{slots.length === 0 ? 'no slots' : `${busy} of ${slots.length} slots in use`}</span>
        </p>
        {busy > 0 && <Work slots={slots} />}
      </div>
      {name !== 'hub' && isThere && state !== 'draining' && <DrainButton name={name} />}
    </li>
  )
}

/** The holder of each slot. */
function Work({ slots }: Pick<WorkerRow, 'slots'>) {
  return (
    <ul className="worker-slots" aria-label="Slots">
      {slots.map(({ name, run, story }) => (
        <li key={name}>
          <span className="mono">{name}</span>
          {run === null ? (
            <span className="sub">free</span>
          ) : (
            <a href={story === null ? href('runs', run) : href('runs', run, 'stories', story)}>{story ?? run}</a>
          )}
        </li>
      ))}
    </ul>
  )
}
