import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openBenches } from '../../src/adapters/benches/known-benches.ts'
import { createGates } from '../../src/adapters/models/gate.ts'
import { gatedModel } from '../../src/adapters/models/gated-model.ts'
import type { Drydock } from '../../src/app/drydock.ts'
import type { Elsewhere } from '../../src/app/elsewhere.ts'
import { createBenchViews } from '../../src/app/views/bench/benches.ts'
import type { WorkOptions } from '../../src/app/work-options.ts'
import { serveToUser } from '../../src/compose/serve-state.ts'
import type { Owner } from '../../src/ports/owner.ts'
import type { ReceiptReader } from '../../src/ports/receipts.ts'
import type { Listen } from '../../src/server/http/serve-state.ts'
import { createMemoryFixture, type MemoryFixture, type MemoryOptions } from '../world/fixture.ts'
import { inProcess } from './in-process.ts'
import { signingIn } from './memory-receipts.ts'
import { type Speak, spokenModel } from './spoken-model.ts'

export interface MemoryWorld {
  readonly fixture: MemoryFixture
  /** The Drydock of the process that serves and works. */
  readonly drydock: Drydock
  readonly reader: ReceiptReader
  /** Serves its dashboard, in this process without a socket, or with one for a browser. */
  serve(options?: WorkOptions & Serving): Promise<MemoryServer>
  /** Works on everything in the state, like `serve`. */
  own(coders?: number): Promise<Owner>
  close(): Promise<void>
}

interface Serving {
  readonly port?: number
  /** True to use a socket, for a browser. */
  readonly overSocket?: boolean
  readonly elsewhere?: Elsewhere
}

export interface MemoryServer {
  readonly url: string
  /** A link that works once. */
  readonly link: string
  close(): Promise<void>
}

export interface ServedOptions extends Omit<MemoryOptions, 'signing'> {
  /** The user's own configuration. */
  readonly user?: (fixture: Pick<MemoryFixture, 'folder'>) => object
  /** Replaces the models' replies of the replay. */
  readonly speak?: Speak
  /** Tokens that a model can read. */
  readonly contextWindow?: number
}

/**
 * A Drydock in memory that can be served; only keys, benches and the address of its server are
 * files.
 */
export async function createMemoryWorld({
  user,
  speak,
  contextWindow,
  ...options
}: ServedOptions = {}): Promise<MemoryWorld> {
  let reader: ReceiptReader | undefined
  const fixture = await createMemoryFixture({
    ...options,
    signing: (folder) => (repository) => {
      const signing = signingIn(folder)(repository)
      reader = signing.reader
      return signing
    },
  })
  if (user !== undefined) {
    const folder = join(fixture.folder, 'config', 'drydock')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'config.json'), JSON.stringify(user(fixture)))
  }
  const { drydock } = await fixture.begin()
  await mkdir(drydock.state, { recursive: true })
  if (speak !== undefined || contextWindow !== undefined) {
    const open = drydock.model
    const say: Speak = speak ?? ((_, __, play) => play())
    // Like a provider's gate: no request is sent during an outage.
    const gate = createGates().of({ provider: 'spoken', baseURL: 'memory:' })
    Object.assign(drydock, { model: (id: string) => gatedModel(spokenModel(open(id), say, contextWindow), gate) })
  }
  const open = new Set<MemoryServer>()
  let owner: Owner | null = null
  let ended: Promise<void> | null = null
  async function end() {
    await owner?.stop({ drain: false })
    for (const each of open) await each.close()
    await fixture.remove()
  }
  if (reader === undefined) throw new Error('the receipts have no reader')
  const receipts = reader
  return {
    fixture,
    drydock,
    reader: receipts,
    async serve({ elsewhere = alone, overSocket = false, port = 0, ...options } = {}) {
      const listen: { readonly listen?: Listen } = overSocket ? {} : { listen: inProcess }
      const served = await serveToUser(
        drydock,
        receipts,
        { options, port, ...listen, onError: (error) => console.error(error) },
        { elsewhere, benches: createBenchViews(openBenches(dirname(drydock.state))) },
      )
      open.add(served)
      return served
    },
    async own(coders = 2) {
      const own = await drydock.own({
        coders,
        onFailure(error) {
          throw error
        },
      })
      if (own === null) throw new Error('another process is the owner')
      owner = {
        ...own,
        stop(options) {
          owner = null
          return own.stop(options)
        },
      }
      return owner
    },
    close() {
      ended ??= end()
      return ended
    },
  }
}

/** No other repositories are known. */
const alone: Elsewhere = {
  list: async () => ({ repositories: [] }),
  open: () => Promise.reject(new Error('there is no other repository')),
  demo: () => Promise.reject(new Error('there is no other repository')),
  reply: () => Promise.reject(new Error('there is no other repository')),
  close: async () => {},
}

/** Prices for the replay's words, which otherwise cost nothing. */
export const priced = ({ folder }: Pick<MemoryFixture, 'folder'>) => ({
  prices: { [`replay:${join(folder, 'replay.json')}`]: { input: 1, output: 1 } },
})
