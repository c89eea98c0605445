import { createGitPorts } from '../../../src/adapters/git/git-ports.ts'
import { at, type World, writeFiles } from './git-world.ts'

/**
 * Goes from the mirror through a workspace and a checkout to a branch and the working tree, in the
 * repository at this path.
 */
export async function theWholeWay({ state, environment, signal, gitIn }: World, repository: string) {
  const { workTrees, userRepository, publisher } = createGitPorts({ repository, state, environment })
  await workTrees.initialize(['coder-001'])
  await userRepository.updateMirror(signal)
  const { sha: tip, branch } = await userRepository.target(null)
  await workTrees.prepare({ slot: 'coder-001', tip }, signal)
  writeFiles(workTrees.path('coder-001'), { 'README.md': 'two\n' })
  const input = { slot: 'coder-001', parents: [tip], ref: 'refs/drydock/a', last: null, message: 'm', at }
  const kept = await workTrees.snapshot(input, signal)
  if (!kept.ok) throw new Error(kept.reason)
  await workTrees.checkout('coder-001', kept.snapshot.sha, signal)
  await publisher.publish('drydock/x', kept.snapshot.sha, null)
  const applied = await userRepository.applyToUserTree(tip, kept.snapshot.sha)
  const { tree } = await userRepository.snapshotUserTree('refs/drydock/user', at)
  return {
    branch,
    applied,
    published: gitIn(repository, 'show', 'drydock/x:README.md'),
    sameTree: tree === kept.snapshot.tree,
    status: gitIn(repository, 'status', '--porcelain'),
  }
}

export const wentWell = {
  branch: 'main',
  applied: { applied: true, files: ['README.md'] },
  published: 'two',
  sameTree: true,
  status: ' M README.md',
}
