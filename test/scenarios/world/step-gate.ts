import { existsSync, readdirSync, watch } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findGate } from './process.ts'

/** A verification step that passes once value.txt is new and the test has opened its gate. */
export const gatedStep = {
  name: 'test',
  command: 'grep -q new value.txt && mkfifo $ARTIFACT_DIR/tmp/gate && cat $ARTIFACT_DIR/tmp/gate',
  timeout_sec: 60,
}

/** Fulfilled when the step of the verification number `n` waits. */
export async function findStepGate(artifacts: string, n: number): Promise<{ open(): Promise<void> }> {
  const runs = join(artifacts, 'runs')
  await mkdir(runs, { recursive: true })
  const seen = Promise.withResolvers<string>()
  const look = () => {
    const folders = existsSync(runs) ? readdirSync(runs).filter((name) => name.startsWith('run_')) : []
    const last = join(runs, folders.toSorted().at(-1) ?? '', 'tmp')
    if (folders.length === n && existsSync(join(last, 'gate'))) seen.resolve(last)
  }
  const watcher = watch(runs, { recursive: true }, look)
  look()
  return findGate(await seen.promise.finally(() => watcher.close()))
}
