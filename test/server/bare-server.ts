import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { emptyRecords } from '../../src/adapters/store/empty-records.ts'
import type { Acts } from '../../src/app/operations/operations.ts'
import { type Dashboard, type ServedDashboard, serveDashboard } from '../../src/server/http/serve-dashboard.ts'
import type { Listen } from '../../src/server/http/serve-state.ts'

export interface Bare extends Dashboard {
  readonly port: number
  /** The temporary folder that contains all the others. */
  readonly root: string
  readonly state: string
  readonly installation: string
  /** The results of the browsers' commands. */
  readonly commands: readonly string[]
  /** Starts again for the same installation and state. */
  again(more?: Partial<ServedDashboard>): Promise<Dashboard>
  remove(): Promise<void>
}

/** A dashboard without a state, with a folder of built files. */
export async function serveBare(
  files: Readonly<Record<string, string>> = { 'index.html': '<!doctype html>page' },
  { listen }: { readonly listen?: Listen } = {},
): Promise<Bare> {
  const root = await mkdtemp(join(tmpdir(), 'drydock-bare-'))
  const [installation, state, folder] = [join(root, 'home'), join(root, 'home', 'state'), join(root, 'dashboard')]
  await mkdir(state, { recursive: true })
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  const commands: string[] = []
  const take = (_: unknown, name: string | symbol) => async (input: { readonly run?: string }) => {
    commands.push(String(name))
    return { run: String(input.run), handed: 'recorded' }
  }
  const nothing = () => Promise.reject(new Error('a planted failure'))
  const served: ServedDashboard = {
    actsOf: () => () => new Proxy({}, { get: take }) as Acts,
    report: nothing,
    settings: nothing,
    finish: nothing,
    choices: nothing,
    elsewhere: null,
    benches: null,
    goneBranches: async () => new Map(),
    you: async () => null,
    heldNow: () => [],
    sharedState: nothing,
    repositoryFacts: nothing,
    workersNow: nothing,
    receipts: { list: nothing, check: nothing, one: nothing },
    version: '0',
    repository: root,
    port: 0,
    ...(listen && { listen }),
    onError: () => {},
    state,
    installation,
    folder,
    openRecords: () => emptyRecords,
    connect: async () => null,
    redact: (text) => text,
    now: () => new Date(),
    sleep: createSystemClock().sleep,
    history: {
      diff: nothing,
      committed: () => ({ read: nothing, list: nothing, search: nothing }),
      isAncestor: nothing,
      hidden: async () => [],
      lineCounts: nothing,
    },
    user: { dashboard: { editor_link: 'vscode://file{path}:{line}' }, slots: {} },
    artifacts: { readLog: nothing, files: nothing, readFile: nothing as never },
    storedFiles: null,
    workTrees: { snapshot: nothing, path: () => root, isMade: async () => true },
  }
  const dashboard = await serveDashboard(served)
  return {
    ...dashboard,
    root,
    state,
    installation,
    commands,
    port: Number(new URL(dashboard.url).port),
    again: (more = {}) => serveDashboard({ ...served, ...more }),
    async remove() {
      await dashboard.close()
      await rm(root, { recursive: true, force: true })
    },
  }
}
