import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { layoutOf } from '../../../src/adapters/git/layout.ts'
import { type World, worldOfTest, writeFiles } from './git-world.ts'

/** Counts the object files below a git directory, and those with a second link. */
export function linked(gitDir: string): { readonly files: number; readonly linked: number } {
  const objects = join(gitDir, 'objects')
  const files = readdirSync(objects, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => statSync(join(parentPath, name)))
  return { files: files.length, linked: files.filter(({ nlink }) => nlink > 1).length }
}

/** A history with a branch next to it, all in one pack except the last commit. */
export async function packed(): Promise<World & { readonly mirror: string; readonly side: string }> {
  const made = worldOfTest()
  made.git('checkout', '--quiet', '-b', 'side')
  writeFiles(made.repository, { 'side.txt': 'side\n' })
  const side = made.commitAll('side')
  made.git('checkout', '--quiet', 'main')
  made.git('gc', '--quiet')
  writeFiles(made.repository, { 'loose.txt': 'loose\n' })
  made.commitAll('loose')
  await made.workTrees.initialize([])
  return { ...made, side, mirror: layoutOf(made.state).mirror }
}

export const whole = ({ gitIn, mirror }: { gitIn: World['gitIn']; mirror: string }) =>
  gitIn(mirror, 'fsck', '--full', '--strict')
