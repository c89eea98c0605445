import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openDrydock } from '../src/compose.ts'
import type { Verification } from '../src/domain/verification/verification.ts'
import { call, change, type Fixture, plan } from '../test/scenarios/world/fixture.ts'
import type { GroupFigures } from './benchmarks.ts'
import { type Environment, environmentOf, startDrydock, taskArguments } from './drydock-process.ts'
import type { ModelProcess } from './model-process.ts'
import { now } from './now.ts'
import { moduleFile } from './repository.ts'
import { median } from './statistics.ts'

/** Fewer than the limit on verifications of a story. */
const slices = 10
const command = `grep -l 'value \\* 4999' -r src | wc -l`

/**
 * Measures a story of many slices, each verified, and the same command in the same files without
 * the verifier.
 */
export async function measureVerification(model: ModelProcess, fixture: Fixture): Promise<GroupFigures> {
  const env = environmentOf(fixture, model.origin, 'verification')
  const config = join(fixture.folder, 'verification.json')
  await writeFile(config, JSON.stringify({ verification: { steps: [{ name: 'test', command }], assurance: 'fast' } }))
  await model.play([plan(), ...Array.from({ length: slices }, (_, i) => slice(i)).flat()])
  await startDrydock([...taskArguments(fixture), '--config', config], env).done
  const bare: number[] = []
  for (let round = 0; round < slices; round += 1) {
    const start = now()
    await promisify(execFile)('sh', ['-c', command], { cwd: fixture.repo })
    bare.push(now() - start)
  }
  // The first verification creates the checkout.
  const gated = (await recordedDurations(fixture, env)).slice(1)
  return {
    'verification over the bare command': median(gated.map(({ started }) => started)) - median(bare),
    'submitted change to verdict, over the bare command':
      median(gated.map(({ requested }) => requested)) - median(bare),
  }
}

function slice(number: number): readonly object[] {
  const write = call('write_file', { path: moduleFile(number), content: `export const slice = ${number}\n` })
  return [write, change(`Slice ${number}`, number === slices - 1 ? {} : { next_slice: `slice ${number + 1}` })]
}

/**
 * Milliseconds up to each verdict, in order: from the editor's request, including its snapshot, and
 * from the verifier's own start.
 */
async function recordedDurations({ repo }: Fixture, env: Environment) {
  const records = (await openDrydock({ directory: repo, env })).openRecords()
  const [run] = (await records?.machines({ kind: 'run' })) ?? []
  if (!records || !run) throw new Error('there is no run')
  const rows = await records.verifications(run.id)
  const asked = (await records.machines({ kind: 'verification', run: run.id })) as readonly Verification[]
  await records.close()
  if (rows.length !== slices || rows.some(({ status }) => status !== 'PASS')) throw new Error('not all slices passed')
  return rows.map(({ runId, finishedAt, manifest }) => {
    const requestedAt = asked.find(({ data }) => data.runId === runId)?.data.requestedAt ?? ''
    const since = (time: string) => Date.parse(finishedAt) - Date.parse(time)
    return { requested: since(requestedAt), started: since(manifest?.timestamp_start ?? '') }
  })
}
