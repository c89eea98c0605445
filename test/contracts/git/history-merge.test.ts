import { describe, expect, test } from 'vitest'
import { at, type Files } from './git-world.ts'
import { type Git, gits, readyOf } from './gits.ts'

const lines = 'one\ntwo\nthree\nfour\nfive\n'

/** Two commits on the tip, and their merge. */
async function merged(git: Git, [files, ours, theirs]: readonly [Files, Files, Files]) {
  const made = await readyOf(git, files)
  const { change, workTrees, tip, signal, history } = made
  const sides = { ours: await change(ours, 'refs/drydock/ours'), theirs: '' }
  await workTrees.prepare({ slot: 'coder-001', tip }, signal)
  sides.theirs = await change(theirs, 'refs/drydock/theirs')
  const result = await history.merge(sides)
  return { ...made, sides, result, merged: made.files(result.tree) }
}

const linesOf = (name: string) => ['one', 'two', 'three', 'four', 'five'].map((each) => `${each} of ${name}\n`).join('')
const binary = (byte: string) => `\0${byte}\n`.repeat(20)

/** A folder for each kind of conflict: the base, and the changes of both sides. */
const conflicting: readonly [Files, Files, Files] = [
  {
    'binary/x.bin': binary('a'),
    'deleted/a.txt': linesOf('deleted'),
    'edited/a.txt': linesOf('edited'),
    'edited/b.txt': 'first\nsame 1\nsame 2\nsame 3\nsame 4\na\nb\nc\n',
    'edited/no end': 'a\nb',
    'gone/a.txt': linesOf('gone'),
    'modes/a.txt': 'a\n',
    'one place/a.txt': linesOf('one place'),
    'one place/b.txt': linesOf('another place'),
    'renamed/a.txt': linesOf('renamed'),
    'twice/a.txt': linesOf('twice'),
    'untouched.txt': 'u\n',
  },
  {
    'binary/x.bin': binary('b'),
    'deleted/a.txt': null,
    'edited/no end': 'a\nours',
    'edited/a.txt': linesOf('edited').replace('two of edited', 'ours'),
    'edited/b.txt': 'ours\nsame 1\nsame 2\nsame 3\nsame 4\nOURS\nb\nours\n',
    'folder/x': 'a file\n',
    'gone/a.txt': null,
    'gone/c.txt': linesOf('gone'),
    'links/link': { link: 'a.txt' },
    'modes/a.txt': { link: 'b.txt' },
    'new/n\new\n.txt': 'ours\nboth\n',
    'one place/a.txt': null,
    'one place/c.txt': linesOf('one place'),
    'renamed/a.txt': null,
    'renamed/b.txt': linesOf('renamed').replace('two of renamed', 'ours'),
    'twice/a.txt': null,
    'twice/b.txt': linesOf('twice').replace('one', 'ONE'),
  },
  {
    'binary/x.bin': binary('c'),
    'deleted/a.txt': `${linesOf('deleted')}six\n`,
    'edited/no end': 'a\ntheirs',
    'edited/a.txt': linesOf('edited').replace('two of edited', 'theirs'),
    'edited/b.txt': 'theirs\nsame 1\nsame 2\nsame 3\nsame 4\nTHEIRS\nb\ntheirs\n',
    'folder/x/y.txt': 'in a folder\n',
    'gone/a.txt': null,
    'links/link': { link: 'b.txt' },
    'modes/a.txt': { executable: 'a\n' },
    'new/n\new\n.txt': 'theirs\nboth\n',
    'one place/b.txt': null,
    'one place/c.txt': linesOf('another place'),
    'renamed/a.txt': linesOf('renamed').replace('two of renamed', 'theirs'),
    'twice/a.txt': null,
    'twice/c.txt': linesOf('twice').replace('five', 'FIVE'),
  },
]

describe.each(gits)('a merge by $name', (git) => {
  test('of changes that are apart is clean, also when one side renames what the other edits', async () => {
    const {
      history,
      result,
      merged: files,
      sides,
    } = await merged(git, [
      { 'a.txt': lines, 'b.txt': lines, 'c.txt': lines, mode: 'm\n', 'd.txt': 'd\n', 'same.txt': lines },
      {
        'b.txt': lines.replace('one', 'ONE'),
        'a.txt': null,
        'renamed.txt': lines,
        mode: { executable: 'm\n' },
        'c.txt': lines.replace('one', 'ONE'),
        'd.txt': null,
        'same.txt': lines.replace('two', 'TWO').replace('five', '5'),
      },
      {
        'a.txt': lines.replace('five', 'FIVE'),
        'b.txt': lines.replace('five', 'FIVE'),
        'new.txt': 'new\n',
        'c.txt': lines.replace('four', 'four and\na half'),
        mode: 'M\n',
        'same.txt': lines.replace('two', 'TWO'),
      },
    ])
    expect(result).toEqual({ clean: true, tree: expect.stringMatching(/^[0-9a-f]{40}$/) })
    expect(await history.merge(sides)).toEqual(result)
    expect(files).toEqual({
      'b.txt': 'ONE\ntwo\nthree\nfour\nFIVE\n',
      mode: { executable: 'M\n' },
      'new.txt': 'new\n',
      'c.txt': 'ONE\ntwo\nthree\nfour and\na half\nfive\n',
      'renamed.txt': 'one\ntwo\nthree\nfour\nFIVE\n',
      'same.txt': 'one\nTWO\nthree\nfour\n5\n',
    })
  })

  test('of a commit with one that it comes from is that commit', async () => {
    const { history, change, tip } = await readyOf(git, { 'a.txt': lines })
    const later = await change({ b: 'b\n' })
    const clean = { clean: true, tree: await history.tree(later) }
    expect(await history.merge({ ours: tip, theirs: later })).toEqual(clean)
    expect(await history.merge({ ours: later, theirs: tip })).toEqual(clean)
  })

  test('of files that both sides changed is not clean, says why, and leaves what both made of them', async () => {
    const {
      history,
      workTrees,
      result,
      merged: files,
      shown,
      sides,
      tip,
      signal,
      workspace,
    } = await merged(git, conflicting)
    const { ours, theirs } = sides
    const marked = (left: string, right: string, names = [ours, theirs]) =>
      `<<<<<<< ${names[0]}\n${left}\n=======\n${right}\n>>>>>>> ${names[1]}\n`
    const renamed = 'ONE of twice\ntwo of twice\nthree of twice\nfour of twice\nFIVE of twice\n'
    const expected = {
      'binary/x.bin': binary('b'),
      'deleted/a.txt': `${linesOf('deleted')}six\n`,
      'edited/a.txt': linesOf('edited').replace('two of edited\n', marked('ours', 'theirs')),
      // A line that both sides have is outside the conflict; a few lines between two conflicts are
      // inside.
      'edited/b.txt': `${marked('ours', 'theirs')}same 1\nsame 2\nsame 3\nsame 4\n${marked('OURS\nb\nours', 'THEIRS\nb\ntheirs')}`,
      'edited/no end': `a\n${marked('ours', 'theirs')}`,
      'folder/x/y.txt': 'in a folder\n',
      [`folder/x~${ours}`]: 'a file\n',
      'gone/c.txt': linesOf('gone'),
      'links/link': { link: 'a.txt' },
      'modes/a.txt': { link: 'b.txt' },
      [`modes/a.txt~${theirs}`]: { executable: 'a\n' },
      'new/n\new\n.txt': `${marked('ours', 'theirs')}both\n`,
      'one place/c.txt': marked(linesOf('one place').trimEnd(), linesOf('another place').trimEnd()),
      'renamed/b.txt': linesOf('renamed').replace(
        'two of renamed\n',
        marked('ours', 'theirs', [`${ours}:renamed/b.txt`, `${theirs}:renamed/a.txt`]),
      ),
      'twice/b.txt': renamed,
      'twice/c.txt': renamed,
      'untouched.txt': 'u\n',
    }
    expect(files).toEqual(expected)
    expect(result).toMatchObject({
      clean: false,
      conflicts: [
        'binary/x.bin',
        'deleted/a.txt',
        'edited/a.txt',
        'edited/b.txt',
        'edited/no end',
        `folder/x~${ours}`,
        'gone/c.txt',
        'links/link',
        'modes/a.txt',
        `modes/a.txt~${theirs}`,
        'new/n\new\n.txt',
        'one place/c.txt',
        'renamed/b.txt',
        'twice/a.txt',
        'twice/b.txt',
        'twice/c.txt',
      ],
      explanation: [
        `warning: Cannot merge binary files: binary/x.bin (${ours} vs. ${theirs})`,
        'CONFLICT (content): Merge conflict in binary/x.bin',
        `CONFLICT (modify/delete): deleted/a.txt deleted in ${ours} and modified in ${theirs}.  Version ${theirs} of deleted/a.txt left in tree.`,
        ...['a.txt', 'b.txt', 'no end'].map((name) => `CONFLICT (content): Merge conflict in edited/${name}`),
        `CONFLICT (file/directory): directory in the way of folder/x from ${ours}; moving it to folder/x~${ours} instead.`,
        `CONFLICT (rename/delete): gone/a.txt renamed to gone/c.txt in ${ours}, but deleted in ${theirs}.`,
        'CONFLICT (add/add): Merge conflict in links/link',
        'CONFLICT (distinct types): modes/a.txt had different types on each side; renamed one of them so each can be recorded somewhere.',
        'CONFLICT (add/add): Merge conflict in new/n\new\n.txt',
        'CONFLICT (add/add): Merge conflict in one place/c.txt',
        'CONFLICT (content): Merge conflict in renamed/b.txt',
        `CONFLICT (rename/rename): twice/a.txt renamed to twice/b.txt in ${ours} and to twice/c.txt in ${theirs}.`,
      ].join('\n'),
    })
    expect(await history.merge(sides)).toEqual(result)
    const input = { tree: result.tree, parents: [tip], message: 'm', ref: 'refs/drydock/merge/1', at }
    await workTrees.prepare({ slot: 'coder-001', tip, tree: await history.commit(input) }, signal)
    expect(shown(workspace)).toEqual(expected)
  })

  test('that was resolved has both parents, and is the same whatever the time', async () => {
    const { history, workTrees, publisher, user, write, result, sides, workspace, signal } = await merged(git, [
      { 'a.txt': lines, 'b.txt': 'b\n' },
      { 'a.txt': lines.replace('two', 'ours'), 'ours.txt': 'ours\n' },
      { 'a.txt': lines.replace('two', 'theirs'), 'theirs.txt': 'theirs\n' },
    ])
    const parents = [sides.ours, sides.theirs]
    const tree = result.tree
    const marked = await history.commit({ tree, parents, message: 'Merge', ref: 'refs/drydock/merge/1', at })
    await workTrees.prepare({ slot: 'coder-001', tip: sides.theirs, tree: marked }, signal)
    write(workspace, { 'a.txt': lines.replace('two', 'both') })
    const input = { slot: 'coder-001', parents, ref: 'refs/drydock/story/1', message: 'Resolved', at }
    const resolved = await workTrees.snapshot({ ...input, last: null }, signal)
    if (!resolved.ok) throw new Error(resolved.reason)
    const { sha } = resolved.snapshot
    expect(await history.conflictMarkers(marked, ['a.txt'])).toEqual(['a.txt'])
    expect(await history.conflictMarkers(sha, ['a.txt'])).toEqual([])
    const later = new Date(at.getTime() + 5_000)
    expect(await workTrees.snapshot({ ...input, last: sha, at: later }, signal)).toEqual(resolved)
    const other = await workTrees.snapshot({ ...input, parents: [sides.ours], last: sha }, signal)
    expect(other).toMatchObject({ ok: true, snapshot: { tree: resolved.snapshot.tree } })
    expect(other).not.toEqual(resolved)
    await publisher.publish('drydock/x', sha, null)
    expect([user.at('drydock/x^'), user.at('drydock/x')]).toEqual([sides.ours, sha])
  })

  test('of commits without common history is an error', async () => {
    const { history, userRepository, user, tip, signal } = await readyOf(git)
    const alone = user.commitTree(tip, [])
    user.tag('alone', alone)
    await userRepository.updateMirror(signal)
    await expect(history.merge({ ours: tip, theirs: alone })).rejects.toMatchObject({
      code: 'git_failed',
      message: expect.stringContaining('unrelated histories'),
    })
  })
})
