import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Ownership } from '../../app/ownership.ts'
import type { StateAccess } from '../../app/state-access.ts'
import type { Owner } from '../../ports/owner.ts'
import type { Attack } from '../attack.ts'
import type { Range } from '../range.ts'

const run = 'attack-000000'

async function startVerification(drydock: Pick<StateAccess, 'submit'>, commit: string): Promise<void> {
  const request = { kind: 'verify', commit } as const
  await drydock.submit('attack', { kind: 'start', run, target: null, configFile: null, models: null, request })
}

/** Takes up the work; a failure shows in the observation. */
function own(drydock: Pick<Ownership, 'own'>): Promise<Owner | null> {
  return drydock.own({ coders: 1, onFailure: () => {} })
}

const secondOwner: Attack = {
  row: 'lease',
  name: 'a second worker takes up the same work',
  expected: 'refused while the first lives, and not afterwards',
  async run(range) {
    const { drydock } = await range.newTarget()
    const first = await own(drydock)
    if (first === null) throw new Error('there was an owner already')
    const second = await own(drydock)
    await second?.stop({ drain: false })
    await first.stop({ drain: false })
    const third = await own(drydock)
    await third?.stop({ drain: false })
    return `${second === null ? 'refused' : 'let in'} while the first lives, and ${third === null ? 'also' : 'not'} afterwards`
  },
}

const oldVersion: Attack = {
  row: 'lease',
  name: 'a worker ends a step of which another has made a newer version',
  expected: 'its job is over, the newer version stays, no result was told',
  async run(range) {
    const taken = Promise.withResolvers<DatabaseSync>()
    const target = await targetWith(range, taken)
    const { drydock, tip } = target
    await startVerification(drydock, tip)
    const owner = await own(drydock)
    if (owner === null) throw new Error('there was an owner already')
    try {
      using database = await taken.promise
      await jobGone(owner, database)
      const { version } = verificationIn(database) ?? {}
      const results = database.prepare("select 1 from events where type = 'result'").all().length
      return `its job is over, ${version === newer ? 'the newer version stays' : `version ${version} took its place`}, ${results === 0 ? 'no' : 'a'} result was told`
    } finally {
      await owner.stop({ drain: false })
    }
  },
}

const newer = 1_000

/**
 * As soon as a verification runs, simulates another worker's commit, so that the machine's version
 * is newer than the job's.
 */
async function targetWith(range: Range, taken: PromiseWithResolvers<DatabaseSync>) {
  let isTaken = false
  let file = ''
  const target = await range.newTarget({
    afterCommit() {
      if (isTaken || file === '') return
      const database = new DatabaseSync(file)
      isTaken = verificationIn(database) !== undefined
      if (!isTaken) return database.close()
      database.exec(`update machines set version = ${newer} where kind = 'verification'`)
      taken.resolve(database)
    },
  })
  file = join(target.drydock.state, 'drydock.db')
  return target
}

function verificationIn(database: DatabaseSync): { readonly version: number } | undefined {
  const row = database.prepare("select version from machines where kind = 'verification'").get()
  return row as { readonly version: number } | undefined
}

function jobGone(owner: Owner, database: DatabaseSync): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      const jobs = database.prepare("select 1 from jobs where queue = 'verification' or machine like 'run_%'").all()
      if (jobs.length === 0) resolve()
    }
    owner.onChange(look)
    look()
  })
}

export const leaseAttacks: readonly Attack[] = [secondOwner, oldVersion]
