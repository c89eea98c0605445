import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Attack } from '../../src/security/attack.ts'
import { attackInstallation } from '../../src/security/attack-installation.ts'

test('processes of an abandoned attack delay nothing, not even those that it left behind', {
  timeout: 40_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const env = { PATH: process.env.PATH ?? '', HOME: join(folder, 'home') }
  const stop = new AbortController()
  // Simulates a Drydock that ignores signals, with a process that outlives it and holds its output
  // open.
  const deaf = 'trap "" INT; setsid sleep 60 & sleep 60'
  const shares: Attack = {
    row: 'lease',
    name: 'it shares a command',
    expected: 'nothing',
    async run(range) {
      await range.shared(async (all) => {
        const target = await all.newTarget()
        const running = target.run([])
        stop.abort(new Error('it is given up'))
        return running
      })
      return 'nothing'
    },
  }
  const told = attackInstallation({ command: ['/bin/sh', '-c', deaf], env, flags: {} }, [shares], stop.signal)
  await expect(told.next()).rejects.toThrow('it is given up')
  expect((await readdir(tmpdir())).filter((name) => name.startsWith('drydock-security-'))).toEqual([])
})
