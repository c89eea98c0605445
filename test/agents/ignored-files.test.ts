import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { prepareWrite } from '../../src/agents/tools/edit-file.ts'
import { done, type ToolContext } from '../../src/agents/tools/tool.ts'
import type { SandboxSession } from '../../src/ports/sandbox.ts'
import { openSession } from './open-session.ts'
import { contextOf } from './wire-lane.ts'

let folder: string
let session: SandboxSession
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-ignored-'))
  session = await openSession(folder, 'write')
})
afterEach(async () => {
  await session.close()
  await rm(folder, { recursive: true })
})

/** Prepares a write; also tells, for each check of ignored files, whether the file existed then. */
function prepare(path: string, ignored: (paths: readonly string[]) => Promise<readonly string[]>) {
  const wasThere: boolean[] = []
  const context: ToolContext = {
    ...contextOf(session),
    ignored(paths) {
      wasThere.push(existsSync(join(folder, path)))
      return ignored(paths)
    },
  }
  const { perform } = prepareWrite({ path, text: 'text\n', before: null, said: `Made ${path}.` }, context)
  return { perform, wasThere }
}

test('git is asked whether it ignores a file while that is written', async () => {
  const { perform, wasThere } = prepare('made.txt', async (paths) => paths)
  expect(await perform()).toEqual(done('Made made.txt.\nmade.txt: ignored by git: not part of the change'))
  expect(wasThere).toEqual([false])
})

test('git is asked of a file that says what is ignored once it is written', async () => {
  const { perform, wasThere } = prepare('sub/.gitignore', async () => [])
  expect(await perform()).toEqual(done('Made sub/.gitignore.'))
  expect(wasThere).toEqual([true])
})

test('a git that fails is told to the write that waits for it, and nobody else hears of it', async () => {
  const failing = () => Promise.reject(new Error('git is gone'))
  const { perform } = prepare('made.txt', failing)
  await new Promise((resolve) => setImmediate(resolve))
  await expect(perform()).rejects.toThrow('git is gone')
})
