import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tryControl } from '../adapters/git/worker/try-control.ts'
import { createHubDoor } from '../adapters/hub-door/hub-door.ts'
import { tryGuestStore } from '../adapters/store/hub/open-guest-store.ts'
import type { Opening } from '../app/opening.ts'
import { databaseServer } from '../config/database/database-server.ts'
import { readHubToken } from '../config/hub-variables.ts'
import { temporaryFolders } from '../domain/temporary-folders.ts'
import { noDatabase } from './no-database.ts'
import { openMachine } from './open-machine.ts'

/** Checks of a worker's access to a hub, run one after the other. Each may throw a DrydockError. */
export interface HubTrial {
  /** Describes the hub, if it answers, accepts the token, and has the same protocol. */
  readonly hub: () => Promise<string>
  /** Called after `hub`. Names the place of the rows, if a worker can use them. */
  readonly database: () => Promise<string>
  /** Called after `hub`. Checks that git can fetch commits. */
  readonly git: () => Promise<string>
}

/** Milliseconds that git may take. */
const gitMs = 30_000

/** `url` is the origin of the hub. */
export async function tryHub(options: Pick<Opening, 'env' | 'flags' | 'clock'>, url: string): Promise<HubTrial> {
  const { env, user, clock, redact } = await openMachine(options)
  const door = () => createHubDoor({ url, token: readHubToken(env) })
  const told = async () => {
    const asked = door()
    return { ...(await asked.sharedState()), at: asked.urls()[0] ?? url }
  }
  return {
    async hub() {
      const { version, protocol, repository, token, at } = await told()
      return `${at} is Drydock ${version} (protocol ${protocol}), keeps ${repository}, and takes the token ${token}`
    },
    async database() {
      const server = databaseServer(user, env)
      if (server === null) throw noDatabase()
      const { state } = await told()
      await tryGuestStore({ server, address: state, clock, redact })
      return `${server.shown}, schema ${state.schema}`
    },
    async git() {
      const { git, token, at } = await told()
      const folder = await mkdtemp(join(tmpdir(), temporaryFolders.doctor))
      try {
        const control = { urls: () => [`${at}${git}`], token: readHubToken(env), host: `${token}/doctor` }
        const signal = AbortSignal.timeout(gitMs)
        const branches = await tryControl({ control, folder, environment: env, signal })
        return `git reads ${branches} ${branches === 1 ? 'branch' : 'branches'} of ${at}${git}`
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}
