import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Records } from '../../../ports/store.ts'
import { findWork, type Work } from './find-work.ts'

/**
 * The work of an address, which may leave out a Run's id and a task's story. Throws DrydockError
 * `not_found`.
 */
export async function findExactly(records: Records, id: string): Promise<Work> {
  const work = await findWork(records, id)
  const [run, story = work.story?.story] = id.split('/')
  if (run === work.run.id && story === work.story?.story) return work
  throw new DrydockError('not_found', `There is no ${id}.`, { todo: 'Look at the list of runs.' })
}
