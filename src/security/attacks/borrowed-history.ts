import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Attack } from '../attack.ts'
import { runInside } from '../inside.ts'

const slots = ['coder-001', 'coder-002'] as const

/**
 * An agent's attempts on objects that are hard links to other users' files: `$1` is their folder,
 * `$2` a commit of another branch, and the others are folders with foreign objects.
 */
const tries = `
git log -1 --format=%s
for file in "$1"/pack/*; do
  chmod u+w "$file"; chown 0:0 "$file"; touch "$file"; echo spoiled >> "$file"; : > "$file"
  ln "$file" own; mv "$file" own; rm -f "$file"
done
mkdir "$1/new"; touch "$1/pack/new"; mv "$1" /moved; rm -rf "$1"; mount -o remount,rw "$1"; umount "$1"
mv .git .was; cp -R .was .git
secret=$2; shift 2
for objects in "$@"; do
  echo "$objects" > .git/objects/info/alternates
  git cat-file -e "$secret" && echo "found in $objects"
done
`

export const borrowedHistory: Attack = {
  row: 'sandbox',
  name: 'an agent writes to the objects that its workspace borrows, and borrows those of others',
  expected: 'the history is there; no file changed, nothing was found',
  async run(range) {
    const target = await range.newTarget()
    const { workTrees, userRepository, state } = target.drydock
    const secret = await target.commit({ 'secret.txt': 'planted' })
    await workTrees.initialize(slots)
    await userRepository.updateMirror(range.signal)
    for (const slot of slots) await workTrees.prepare({ slot, tip: target.tip }, range.signal)
    const [own, other] = slots.map((slot) => workTrees.history(slot)) as [string, string]
    const theirs = [join(target.repository, '.git/objects'), join(state, 'mirror.git/objects'), other]
    const before = await digest([...theirs, own])
    const args = ['/coder-001.history', secret, ...theirs, '/coder-002.history', '/mnt/mirror/objects']
    const command = `set -- ${args.map((each) => `'${each}'`).join(' ')}; exec 2>/dev/null\n${tries}`
    const folder = workTrees.path(slots[0])
    const output = await runInside(range, command, { place: 'an agent', folder, history: own })
    const subject = await target.git('log', '-1', '--format=%s', target.tip)
    const [first = '', ...found] = output.split('\n')
    return [
      first === subject.trim() ? 'the history is there' : `the history is not there: ${first}`,
      `${(await digest([...theirs, own])) === before ? 'no file' : 'a file'} changed, ${found.join(', ') || 'nothing was'} found`,
    ].join('; ')
  },
}

/** A digest of the names, contents, permissions and times of all files in the folders. */
async function digest(folders: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const folder of folders) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    for (const path of entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()) {
      const { mode, mtimeMs } = await stat(path)
      hash.update(`${path} ${mode} ${mtimeMs} `).update(await readFile(path))
    }
  }
  return hash.digest('hex')
}
