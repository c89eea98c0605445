import type { Settings } from '../../../src/api/settings.ts'
import { useSettings } from '../../data/queries.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { ScrollBox } from '../../parts/scroll-box.tsx'
import { Card } from '../story/overview.tsx'
import { OwnSettings } from './own-settings.tsx'

const origins = {
  default: 'default',
  repository: 'repository',
  user: 'your file',
  config: '--config',
  flag: 'flag',
} as const

/**
 * The effective settings for work that starts now, with the origin of each. Keys are never shown.
 */
export function SettingsPage() {
  return (
    <div className="page narrow">
      <header className="page-head">
        <div>
          <h1>Settings</h1>
          <p className="sub">The settings of a run that starts now. What is your own you can change here.</p>
        </div>
      </header>
      <Loaded query={useSettings()} what="the settings">
        {(settings) => <All settings={settings} />}
      </Loaded>
    </div>
  )
}

function shown(value: Settings['settings'][number]['value']): string {
  if (value === null) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1)
}

function All({ settings }: { readonly settings: Settings }) {
  const { problem, providers } = settings
  const groups = Map.groupBy(settings.settings, ({ key }) => key.split('.')[0] ?? '')
  return (
    <>
      {problem && (
        <div className="problem" role="alert">
          <strong>{problem.message}</strong>
          <p>{problem.todo}</p>
        </div>
      )}
      <Card title="Places">
        <dl className="facts">
          <dt>Repository</dt>
          <dd className="mono">{settings.repository}</dd>
          <dt>State</dt>
          <dd className="mono">{settings.state}</dd>
          <dt>Verification from</dt>
          <dd className="mono">{settings.source ?? 'none'}</dd>
          <dt>Your file</dt>
          <dd className="mono">{settings.user_file}</dd>
        </dl>
      </Card>
      <OwnSettings own={settings.own} file={settings.user_file} />
      {[...groups].map(([group, values]) => (
        <Card key={group} title={group.charAt(0).toUpperCase() + group.slice(1).replaceAll('_', ' ')}>
          <dl className="settings">
            {values.map(({ key, value, from }) => (
              <div key={key}>
                <dt className="mono">{key}</dt>
                <dd>
                  <code>{shown(value)}</code>
                  <span className={`origin ${from}`}>{origins[from]}</span>
                </dd>
              </div>
            ))}
          </dl>
        </Card>
      ))}
      <Card title="Providers">
        {providers.length === 0 ? (
          <p className="sub">None is configured. Name one in your own file. drydock doctor shows what is missing.</p>
        ) : (
          <ScrollBox label="Providers">
            <table className="table">
              <thead>
                <tr>
                  <th>Name</th>
                  <th>Kind</th>
                  <th>Address</th>
                  <th>Key</th>
                </tr>
              </thead>
              <tbody>
                {providers.map(({ name, kind, base_url, key_env, key_set }) => (
                  <tr key={name}>
                    <td>{name}</td>
                    <td>{kind}</td>
                    <td className="mono">{base_url ?? 'its own'}</td>
                    <td>
                      {key_env === null ? (
                        'none needed'
                      ) : (
                        <>
                          <code>{key_env}</code> {key_set ? 'is set' : 'is not set'}
                        </>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollBox>
        )}
      </Card>
    </>
  )
}
