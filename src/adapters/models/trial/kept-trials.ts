import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { parsedJson } from '../../../domain/json.ts'
import { limits } from '../../../domain/limits.ts'
import { writeWhole } from '../../../files/write-whole.ts'
import type { TriedModel } from '../../../ports/model.ts'
import type { Endpoint } from '../endpoint.ts'

/** Results of trials, by endpoint. */
export interface KeptTrials {
  /** Null for a result that is unknown or too old. */
  of(endpoint: Endpoint): Promise<TriedModel | null>
  keep(endpoint: Endpoint, found: TriedModel): Promise<void>
  /**
   * Runs one trial of an endpoint at a time; concurrent callers in this process share its result.
   */
  once<Found>(
    endpoint: Endpoint,
    run: () => Promise<Found>,
  ): { readonly found: Promise<Found>; readonly isOwn: boolean }
}

interface Keeping {
  /** Shared by all processes of a user; null to keep results in this process only. */
  readonly file: string | null
  /** Changes with Drydock's version. */
  readonly edition: string
  readonly clock: { now(): Date }
}

const entry = z.object({
  at: z.string(),
  calls: z.enum(['yes', 'forced', 'unknown']),
  reportsUsage: z.boolean().nullable(),
  endsStream: z.boolean(),
  window: z.number().int().positive().nullable(),
})
const kept = z.object({ edition: z.string(), models: z.record(z.string(), entry) })

type Entries = Map<string, TriedModel>

export function createKeptTrials({ file, edition, clock }: Keeping): KeptTrials {
  let known: Promise<Entries> | null = null
  const underWay = new Map<string, Promise<unknown>>()

  async function read(): Promise<Entries> {
    if (file === null) return new Map()
    const { data } = kept.safeParse(parsedJson(await readFile(file, 'utf8').catch(() => '')))
    return new Map(data?.edition === edition ? Object.entries(data.models) : [])
  }

  async function write(models: Entries): Promise<void> {
    if (file === null) return
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const stored = { edition, models: Object.fromEntries([...models].slice(-limits.trial.models)) }
    await writeWhole(file, JSON.stringify(stored), { mode: 0o600 })
  }

  const isFresh = ({ at }: TriedModel) => {
    const age = clock.now().getTime() - Date.parse(at)
    return age >= 0 && age < limits.trial.keptHours * 3_600_000
  }

  return {
    async of(endpoint) {
      known ??= read()
      const found = (await known).get(keyOf(endpoint))
      return found !== undefined && isFresh(found) ? found : null
    },
    async keep(endpoint, found) {
      known ??= read()
      const models = await known
      models.set(keyOf(endpoint), found)
      if (found.calls === 'unknown' || !found.endsStream) return
      // Other processes may have added models since the file was read. If the file cannot be
      // written, each process tries again.
      const others = await read()
      const lasting = [...models].filter(([, { calls, endsStream }]) => calls !== 'unknown' && endsStream)
      await write(new Map([...others, ...lasting])).catch(() => undefined)
    },
    once<Found>(endpoint: Endpoint, run: () => Promise<Found>) {
      const key = keyOf(endpoint)
      const other = underWay.get(key) as Promise<Found> | undefined
      if (other !== undefined) return { found: other, isOwn: false }
      const found = run().finally(() => underWay.delete(key))
      underWay.set(key, found)
      return { found, isOwn: true }
    },
  }
}

/**
 * A hash of everything that a request depends on, so that a changed configuration is tried again.
 * It reveals no key.
 */
function keyOf({ kind, model, baseURL, apiKey, numCtx, settings, proxy }: Endpoint): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, model, baseURL, apiKey, numCtx, settings, proxy]))
    .digest('base64url')
}
