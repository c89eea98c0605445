import type { RunList } from '../../src/api/runs.ts'
import type { Connection } from '../data/follow.ts'
import { may } from '../data/may.ts'
import { currentActor } from '../data/session.ts'
import { Icon } from '../parts/icon.tsx'
import { href, navigate, type Route } from '../router.ts'
import { useTheme } from '../theme.ts'
import { type Place, places, placesOfRun } from './places.ts'
import { RepositoryPicker } from './repository-picker.tsx'
import '../styles/find-button.css'

interface Props {
  readonly list: RunList
  readonly route: Route
  readonly connection: Connection
  readonly help: () => void
  readonly palette: () => void
  readonly signOut: () => void
}

const words = { connecting: 'Connecting', live: 'Live', lost: 'Reconnecting', ended: 'Ended' } as const

export function Sidebar({ list, route, connection, help, palette, signOut }: Props) {
  const [theme, nextTheme] = useTheme()
  const [first, shown, second = ''] = route.path
  const run = first === 'runs' ? shown : undefined
  // A viewer cannot answer, so no questions are counted.
  const waiting = may('operator') ? list.escalations.filter(({ answered }) => !answered) : []
  return (
    <aside className="sidebar" aria-label="Drydock">
      <a className="brand" href={href()}>
        <img src="/favicon.svg" alt="" />
        Drydock
      </a>
      <button type="button" className="button find-button" aria-keyshortcuts="Control+K Meta+K" onClick={palette}>
        <Icon name="search" />
        <span>Search</span>
        <span className="find-keys with-keyboard" aria-hidden="true">
          <kbd>Ctrl</kbd>
          <kbd>K</kbd>
        </span>
      </button>
      <nav className="nav" aria-label="All">
        {places().map(({ id, key: _, ...place }) => (
          <Item
            key={id}
            to={id === '' ? href() : href(id)}
            {...place}
            current={(first ?? '') === id}
            badge={id === 'questions' ? waiting.length : 0}
          />
        ))}
      </nav>
      <RepositoryPicker list={list} />
      {list.runs.length > 0 && <RunPicker list={list} run={run} />}
      {run !== undefined && (
        <nav className="nav" aria-label="This run">
          {placesOfRun(list.runs.find((each) => each.run === run)).map(({ id, title, icon }) => (
            <Item
              key={id}
              to={id === '' ? href('runs', run) : href('runs', run, id)}
              title={title}
              icon={icon}
              current={second === id || (id === '' && second === 'stories')}
              badge={id === 'chat' ? waiting.filter((each) => each.run === run).length : 0}
            />
          ))}
        </nav>
      )}
      <div className="sidebar-foot">
        <Me />
        <div className="foot-row">
          <span className={`connection ${connection}`} role="status">
            {words[connection]}
          </span>
          <span className="row">
            <button
              type="button"
              className="button quiet icon-only"
              aria-label={`Theme: ${theme}`}
              title={`Theme: ${theme}`}
              onClick={nextTheme}
            >
              <Icon name={theme === 'dark' ? 'theme' : theme === 'light' ? 'sun' : 'system'} />
            </button>
            <button
              type="button"
              className="button quiet icon-only"
              aria-label="Keyboard help"
              title="Keyboard (?)"
              onClick={help}
            >
              <Icon name="help" />
            </button>
            <button
              type="button"
              className="button quiet icon-only"
              aria-label={signOutLabel()}
              title={signOutLabel()}
              onClick={signOut}
            >
              <Icon name="leave" />
            </button>
          </span>
        </div>
      </div>
    </aside>
  )
}

/** The name and role of the signed-in person on a hub. */
function Me() {
  const actor = currentActor()
  if (actor === null) return null
  return (
    <p className="foot-me">
      <strong className="ellipsis">{actor.name}</strong> <span className="sub">{actor.role}</span>
    </p>
  )
}

/** Includes the signed-in person on a hub. */
function signOutLabel(): string {
  const actor = currentActor()
  return actor === null ? 'Sign out' : `Sign out ${actor.name} (${actor.role})`
}

function RunPicker({ list, run }: { readonly list: RunList; readonly run: string | undefined }) {
  return (
    <div className="run-picker">
      <label>
        Run
        <select
          className="input"
          value={run ?? ''}
          onChange={({ target }) => target.value !== '' && navigate('runs', target.value)}
        >
          {run === undefined && <option value="">Choose…</option>}
          {list.runs.map((each) => (
            <option key={each.run} value={each.run}>
              {each.title}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}

interface ItemProps extends Omit<Place, 'id' | 'key'> {
  readonly to: string
  readonly current: boolean
  readonly badge?: number
}

function Item({ to, title, icon, current, badge = 0 }: ItemProps) {
  return (
    <a href={to} aria-current={current ? 'page' : undefined}>
      <Icon name={icon} />
      {title}
      {badge > 0 && (
        <span className="badge">
          {badge}
          <span className="visually-hidden"> open questions</span>
        </span>
      )}
    </a>
  )
}
