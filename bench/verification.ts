import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openDrydock } from '../src/compose.ts'
import { verificationId } from '../src/domain/verification.ts'
import { createDependencyLayers } from '../src/workflow/dependency-layers.ts'
import { verify } from '../src/workflow/verifier.ts'
import type { Fixture } from '../test/scenarios/fixture.ts'
import type { Measured } from './benchmarks.ts'
import { now } from './now.ts'
import { moduleFile } from './repository.ts'
import { median } from './statistics.ts'

const slot = 'coder-001'
const rounds = 15
const command = `grep -l 'value \\* 4999' -r src | wc -l`

/** The verifier on one change after another, beside the same command in the same folder without it. */
export async function measureVerification(fixture: Fixture): Promise<Measured> {
  const signal = AbortSignal.timeout(300_000)
  const drydock = await openDrydock({
    directory: fixture.repo,
    env: { ...fixture.env, DRYDOCK_HOME: join(fixture.folder, 'verification') },
  })
  const deps = { ...drydock, layers: createDependencyLayers(drydock) }
  const { workspaces, clock } = drydock
  const repositoryText = JSON.stringify({ verification: { steps: [{ name: 'test', command }] } })
  const config = await drydock.readConfig({ repositoryText, configFile: null, stepsRequired: true })
  await workspaces.initialize([slot])
  await workspaces.updateMirror(signal)
  const { sha: base } = await workspaces.target(null)
  await workspaces.prepare({ slot, tip: base }, signal)
  const gated: number[] = []
  const bare: number[] = []
  for (let round = 0; round <= rounds; round += 1) {
    await writeFile(join(workspaces.path(slot), moduleFile(round)), `export const round = ${round}\n`)
    const ref = `refs/drydock/snapshots/bench/${round}`
    const message = `Round ${round}`
    const kept = await workspaces.snapshot({ slot, parent: base, ref, last: null, message, at: clock.now() }, signal)
    if (!kept.ok) throw new Error(kept.reason)
    const runId = verificationId(clock.now(), clock.random())
    const input = { runId, commit: kept.snapshot.sha, base, checkout: slot, config }
    const start = now()
    const { status, tail_log: tail } = await verify(deps, input, signal)
    const middle = now()
    if (status !== 'PASS') throw new Error(`the verification ended with ${status}: ${tail}`)
    await promisify(execFile)('sh', ['-c', command], { cwd: join(drydock.state, 'checkouts', slot) })
    // The first one makes the checkout.
    if (round === 0) continue
    gated.push(middle - start)
    bare.push(now() - middle)
  }
  return { 'verification over the bare command': median(gated) - median(bare) }
}
