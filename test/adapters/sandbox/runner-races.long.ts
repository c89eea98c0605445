import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { folder, inAttackFolders, never, open, workspace } from './attacks.ts'

inAttackFolders()

test('the runner shows nothing of another workspace that takes a file’s place just while it looks', async () => {
  const other = join(folder, 'other')
  mkdirSync(other)
  writeFileSync(join(other, 'secret.txt'), 'hit planted')
  writeFileSync(join(other, 'foreign.txt'), '')
  writeFileSync(join(workspace, 'secret.txt'), 'hit own')
  linkSync(join(other, 'secret.txt'), join(workspace, 'hard'))
  symlinkSync('/mnt/other', join(workspace, 'link'))
  mkdirSync(join(workspace, 'real'))
  writeFileSync(join(workspace, 'real/secret.txt'), 'hit own')
  const swap = `
    import { renameSync } from 'node:fs'
    const turn = (a: string, b: string) => { renameSync(a, 'aside'); renameSync(b, a); renameSync('aside', b) }
    for (;;) { turn('secret.txt', 'hard'); turn('real', 'link') }
  `
  const swapper = spawn(process.execPath, ['--input-type=module-typescript', '--eval', swap], { cwd: workspace })
  const isGone = once(swapper, 'exit')
  onTestFinished(() => {
    swapper.kill('SIGKILL')
  })
  const mounts = [
    { path: workspace, at: '/mnt/own', access: 'read' },
    { path: other, at: '/mnt/other', access: 'read' },
  ] as const
  const session = await open({ mounts, cwd: '/mnt' })
  const texts = new Set<string>()
  const names = new Set<string>()
  const note = (base64: string) => texts.add(Buffer.from(base64, 'base64').toString())
  for (let i = 0; i < 150; i += 1) {
    const search = { op: 'search', root: '/mnt/own', pattern: 'hit', glob: null, max: 9 } as const
    const reads = ['secret.txt', 'hard', 'real/secret.txt', 'link/secret.txt'].map(
      (path) => ({ op: 'read', root: '/mnt/own', path, maxBytes: 99 }) as const,
    )
    const list = { op: 'list', root: '/mnt/own', pattern: '*.txt', max: 99 } as const
    // A search starts a program, which costs as much as a hundred reads.
    const searching = i % 5 === 0 ? session.request(search, never) : null
    const [found, listed, ...contents] = await Promise.all([
      searching,
      session.request(list, never),
      ...reads.map((read) => session.request(read, never)),
    ])
    if (found?.ok) for (const { text } of found.value.matches) texts.add(text)
    if (listed.ok) for (const path of listed.value.paths) names.add(path.slice(path.lastIndexOf('/') + 1))
    for (const reply of contents) if (reply.ok) note(reply.value.base64)
  }
  swapper.kill('SIGKILL')
  await isGone
  expect([...texts]).toEqual(['hit own'])
  expect([...names]).toEqual(['secret.txt'])
})
