import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createDatabase } from '../../src/adapters/store/database.ts'
import { emptyRecords } from '../../src/adapters/store/empty-records.ts'
import { openHubRows } from '../../src/adapters/store/hub/open-hub-rows.ts'
import { tokenHeader } from '../../src/api/session.ts'
import { addHubToken, type HubRows } from '../../src/app/commands/hub/hub-tokens.ts'
import type { Drydock } from '../../src/app/drydock.ts'
import { type Acts, actsFor } from '../../src/app/operations/operations.ts'
import type { Role } from '../../src/domain/hub/role.ts'
import { type ServedHub, serveHub } from '../../src/server/http/hub/serve-hub.ts'
import { type Answer, type Asking, ask } from './browser.ts'
import { inProcess } from './in-process.ts'

export interface BareHub {
  readonly port: number
  readonly url: string
  readonly rows: HubRows
  /** The commands that came through, each with its Run. */
  readonly commands: readonly string[]
  readonly audit: readonly string[]
  token(name: string, role: Role, expires?: string): Promise<string>
  /** Signs a browser in with a token. */
  signIn(token: string): Promise<HubPage>
}

/** A signed-in browser. */
export interface HubPage {
  readonly cookie: string
  /** Headers with both halves of the session. */
  readonly headers: Readonly<Record<string, string>>
  /** The session's headers with a fresh token, for requests that act. */
  acting(): Promise<Readonly<Record<string, string>>>
}

const aboutHub = new Set<string>([
  'tokens',
  'addToken',
  'revokeToken',
  'changeSetting',
  'land',
] satisfies (keyof Acts)[])

/** A bare hub without a socket, for requests of this process. */
export const bareHub = (more: Partial<ServedHub> = {}): Promise<BareHub> => serveBareHub({ listen: inProcess, ...more })

/** A hub with stored tokens and nothing else. The hub ends with the test. */
export async function serveBareHub(more: Partial<ServedHub> = {}): Promise<BareHub> {
  const root = await mkdtemp(join(tmpdir(), 'drydock-hub-'))
  const [state, folder] = [join(root, 'repo-0123456789ab'), join(root, 'dashboard')]
  await mkdir(folder)
  await writeFile(join(folder, 'index.html'), '<!doctype html>page')
  const database = createDatabase({ state, server: null, clock: createSystemClock(), redact: String })
  await database.ensure()
  const commands: string[] = []
  const audit: string[] = []
  const nothing = () => Promise.reject(new Error('a planted failure'))
  const serving = await serveHub({
    elsewhere: null,
    benches: null,
    door: { host: '127.0.0.1', port: 0, tls: null, proxyOrigin: null },
    actsOf: (_, hub) => (asker) => {
      // Operations on the hub itself are carried out; those on Runs are only recorded.
      const here = {
        drydock: {} as Drydock,
        options: {},
        receipts: nothing,
        door: { hub, elsewhere: null, held: null },
      }
      const real = actsFor({ ...here, ...(hub && { audit: hub.audit }) }, asker)
      const take = (_: unknown, name: string | symbol) => {
        if (aboutHub.has(String(name))) return Reflect.get(real, name)
        return async () => {
          commands.push(`${String(name)} by ${asker.by}`)
          return { run: 'x', handed: 'recorded' }
        }
      }
      return new Proxy({}, { get: take }) as Acts
    },
    report: async () => 'a report',
    settings: nothing,
    version: '0',
    repository: root,
    folder,
    state,
    goneBranches: async () => new Map(),
    you: async () => null,
    heldNow: () => [],
    sharedState: nothing,
    repositoryFacts: nothing,
    workersNow: async () => [],
    finish: nothing,
    choices: nothing,
    receipts: { list: nothing, check: nothing, one: nothing },
    openRecords: () => emptyRecords,
    connect: async () => null,
    redact: (text) => text,
    now: () => new Date(),
    onError: () => {},
    onAudit: (line) => void audit.push(line),
    openHubRows: () => openHubRows(database),
    sleep: createSystemClock().sleep,
    openPeopleDoor: async () => null,
    history: {
      diff: nothing,
      committed: () => ({ read: nothing, list: nothing, search: nothing }),
      isAncestor: nothing,
      hidden: async () => [],
      lineCounts: nothing,
    },
    control: { answer: nothing },
    user: { dashboard: { editor_link: 'vscode://file{path}:{line}' }, slots: {} },
    artifacts: { readLog: nothing, files: nothing, readFile: nothing as never },
    storedFiles: null,
    workTrees: { snapshot: nothing, path: () => root, isMade: async () => true },
    ...more,
  })
  const rows = await openHubRows(database)
  onTestFinished(async () => {
    await serving.close()
    await rows.close()
    await rm(root, { recursive: true, force: true })
  })
  const port = Number(new URL(serving.url).port)
  const url = `http://127.0.0.1:${port}`
  const json = { Origin: url, 'Content-Type': 'application/json' }
  return {
    port,
    url,
    rows,
    commands,
    audit,
    token: async (name, role, expires) => (await addHubToken(rows, { name, role, expires }, new Date())).token,
    async signIn(token) {
      const { status, headers, body } = await ask(port, '/session', signInWith(url, token))
      if (status !== 200) throw new Error(`${status} ${body}`)
      const { session, key } = JSON.parse(body)
      const cookie = headers['set-cookie']?.[0] ?? ''
      const own = { Authorization: `Bearer ${session}`, Cookie: cookie.split(';')[0] ?? '' }
      return {
        cookie,
        headers: own,
        async acting() {
          const asking = { method: 'POST', headers: { ...json, ...own }, body: JSON.stringify({ key }) }
          const answer = await ask(port, '/api/session/token', asking)
          return { ...json, ...own, [tokenHeader]: JSON.parse(answer.body).token }
        },
      }
    },
  }
}

export function signInWith(origin: string, token: string): Asking {
  const headers = { Origin: origin, 'Content-Type': 'application/json' }
  return { method: 'POST', headers, body: JSON.stringify({ token }) }
}

/** Status and code of an answer. */
export function codeOf({ status, body }: Answer): string {
  return `${status} ${body.startsWith('{"code"') ? JSON.parse(body).code : ''}`.trim()
}
