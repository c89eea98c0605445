import { expect, test } from 'vitest'
import { randomOf } from '../../random.ts'
import type { Content, Files } from './git-world.ts'
import { gitOfWorker, gits, readyOf } from './gits.ts'

type NamedContents = Record<string, Content | null>

/** Files of unique lines, so that two of them have only one shortest diff. */
function filesOf(random: () => number): Record<string, string> {
  const files = Array.from({ length: 24 }, (_, i) => {
    const count = 1 + Math.floor(random() * 30)
    const lines = Array.from({ length: count }, (_, n) => `${random() < 0.5 ? 'word' : '  '} ${i} of ${n}`)
    return [`${['', 'src/', 'src/deep/', 'test/'][i % 4]}file-${i}.txt`, `${lines.join('\n')}${i % 5 ? '\n' : ''}`]
  })
  return Object.fromEntries(files)
}

/** Edits, removals, renames and new files. */
function changeOf(files: Readonly<Record<string, string>>, side: string, random: () => number): Files {
  const change: NamedContents = {}
  const edited = (content: string) =>
    content
      .split('\n')
      .flatMap((line, n) => {
        // The last line stays: since Git 2.44 a missing newline at the end affects rename
        // detection.
        if (line === '' || random() < 0.85) return [line]
        return [[], [`${side} ${n}`], [line, `${side} ${n}`], [`the same ${n}`]][Math.floor(random() * 4)] ?? []
      })
      .join('\n')
  for (const [path, content] of Object.entries(files)) {
    const kind = random()
    if (kind < 0.4) change[path] = edited(content)
    else if (kind < 0.5) change[path] = null
    else if (kind < 0.55) change[path] = { executable: content }
    else if (kind < 0.7) {
      change[path] = null
      const name = path.replace('file', random() < 0.5 ? 'moved' : `moved-by-${side}`)
      change[name] = random() < 0.5 ? content : edited(content)
    }
  }
  change['new.txt'] = `${side}\n`
  change[`${side}.txt`] = `${side}\n`
  return change
}

test.each([1, 2])('git, of a worker too, and git in memory make the same of random changes: seed %i', async (seed) => {
  const random = randomOf(seed)
  const files = filesOf(random)
  const [ours, theirs] = [changeOf(files, 'ours', random), changeOf(files, 'theirs', random)]
  const said = []
  for (const git of seed === 1 ? [...gits, gitOfWorker] : gits) {
    const { history, workTrees, change, shown, workspace, tip, signal } = await readyOf(git, files)
    const one = await change(ours, 'refs/drydock/ours')
    await workTrees.prepare({ slot: 'coder-001', tip }, signal)
    const two = await change(theirs, 'refs/drydock/theirs')
    await workTrees.prepare({ slot: 'coder-001', tip, tree: one }, signal)
    const checkout = await workTrees.checkout('c', two, signal)
    said.push({
      commits: [tip, one, two],
      files: [shown(workspace), shown(checkout)],
      changed: await history.changedFiles(tip, one),
      counts: await history.lineCounts(tip, two),
      diff: (await history.diff({ from: tip, to: two, maxBytes: 1_000_000 })).text,
      merge: await history.merge({ ours: one, theirs: two }),
    })
  }
  const [real, ...others] = said
  for (const other of others) expect(other).toEqual(real)
})
