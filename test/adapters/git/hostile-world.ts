import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { makeReadyWorld } from './git-world.ts'

/**
 * A ready slot, a script that leaves a mark if anything runs it, and all operations of Drydock on a
 * workspace.
 */
export async function attacked(
  files: Readonly<Record<string, string>> = { 'README.md': 'one\n', '.gitignore': 'node_modules/\n' },
) {
  const world = await makeReadyWorld(files)
  onTestFinished(() => world.close())
  const { history, workTrees, tip, signal, snapshot, top } = world
  const mark = join(top, 'mark')
  const script = join(top, 'attack.sh')
  writeFileSync(script, `#!/bin/sh\ntouch '${mark}'\ncat\n`, { mode: 0o755 })
  // Git splits commands in its configuration at spaces, so the path is quoted.
  const command = `'${script}'`
  const everything = async () => {
    const kept = await snapshot()
    await workTrees.ignored('coder-001', ['README.md', 'x.log'])
    if (kept.ok) {
      await history.diff({ from: tip, to: kept.snapshot.sha, maxBytes: 10_000 })
      await history.changedFiles(tip, kept.snapshot.sha)
      await workTrees.checkout('coder-001', kept.snapshot.sha, signal)
      await workTrees.prepare({ slot: 'coder-001', tip, tree: kept.snapshot.tree }, signal)
    }
    await workTrees.prepare({ slot: 'coder-001', tip }, signal)
    return kept
  }
  return { ...world, mark, script, command, everything }
}
