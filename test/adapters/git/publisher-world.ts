import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { at, makeReadyWorld, writeFiles } from './git-world.ts'

/** Two commits that only the mirror has, the second after the first. */
export async function made() {
  const world = await makeReadyWorld()
  onTestFinished(() => world.close())
  const change = async (content: string, ...more: [string?, null?, string?]) => {
    writeFiles(world.workspace, { 'README.md': content })
    const kept = await world.snapshot(...more)
    if (!kept.ok) throw new Error(kept.reason)
    return kept.snapshot.sha
  }
  const first = await change('two\n')
  const second = await change('three\n', 'refs/drydock/story/2', null, first)
  const hook = `#!/bin/sh\ntouch '${join(world.top, 'ran')}'\nexit 1\n`
  const names = [
    'reference-transaction',
    'post-checkout',
    'pre-push',
    'post-merge',
    'pre-auto-gc',
    'post-rewrite',
    'prepare-commit-msg',
    'commit-msg',
    'post-commit',
  ]
  return {
    ...world,
    first,
    second,
    note: (text: string, of = first) => world.publisher.note({ sha: of, text, at }),
    plantHooks() {
      const folder = join(world.repository, '.git', 'hooks')
      mkdirSync(folder, { recursive: true })
      for (const name of names) writeFileSync(join(folder, name), hook, { mode: 0o755 })
    },
  }
}
