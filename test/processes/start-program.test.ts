import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostPath, systemPath } from '../../src/processes/host-path.ts'
import { runProgram } from '../../src/processes/run-program.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function program(place: string, name: string, says: string): Promise<void> {
  await mkdir(join(folder, place), { recursive: true })
  await writeFile(join(folder, place, name), `#!/bin/sh\necho ${says}\n`)
  await chmod(join(folder, place, name), 0o755)
}

describe('a program is started', () => {
  test.each(['', '.', 'bin', './bin'])('not from its own folder for the entry "%s" of PATH', async (entry) => {
    for (const place of ['workspace', 'workspace/bin']) await program(place, 'find', 'planted')
    const place = { cwd: join(folder, 'workspace'), env: { PATH: `${entry}:/usr/bin:/bin` } }
    expect(await runProgram('find', ['--version'], place)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^find /),
    })
  })

  test('from where it was found first, whatever appears later in front of it', async () => {
    const [early, late] = ['early', 'late'].map((name) => join(folder, name))
    const env = { PATH: `${early}:${late}` }
    await program('late', 'tool', 'late')
    expect((await runProgram('tool', [], { env })).stdout).toBe('late\n')
    await program('early', 'tool', 'early')
    expect((await runProgram('tool', [], { env })).stdout).toBe('late\n')
  })

  test('with the named environment and nothing of this process', async () => {
    process.env.PLANTED = 'planted'
    try {
      const { stdout } = await runProgram('env', [], { env: { PATH: '/usr/bin:/bin', NAMED: 'yes' } })
      expect(stdout.trim().split('\n').toSorted()).toEqual(['NAMED=yes', 'PATH=/usr/bin:/bin'])
    } finally {
      delete process.env.PLANTED
    }
  })

  test('or is said to be missing', async () => {
    const starting = runProgram('no-such-program', [], { env: { PATH: ':.' } })
    await expect(starting).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

test('a PATH keeps absolute folders that no agent writes to, and is never empty', () => {
  expect(hostPath(':/usr/bin::bin:/state/workspaces/coder-001/bin:/opt/state-of/bin', ['/state'])).toEqual({
    path: '/usr/bin:/opt/state-of/bin',
    dropped: ['""', '""', 'bin', '/state/workspaces/coder-001/bin'],
  })
  expect(hostPath(':.')).toEqual({ path: systemPath, dropped: ['""', '.'] })
  expect(hostPath('')).toEqual({ path: systemPath, dropped: [] })
})

test('a PATH leads to no folder that agents write to by way of a link either', async () => {
  await mkdir(join(folder, 'state/bin'), { recursive: true })
  await symlink('state', join(folder, 'link'))
  await symlink('state/bin', join(folder, 'tools'))
  const dropped = ['state/bin', 'link/bin', 'tools', 'link/../state/bin'].map((name) => `${folder}/${name}`)
  for (const state of ['state', 'link'])
    expect(hostPath(`${dropped.join(':')}:/usr/bin`, [join(folder, state)])).toEqual({ path: '/usr/bin', dropped })
})
