import { DrydockError } from '../domain/drydock-error.ts'

/** A command line that cannot be carried out: what is wrong with it, and what to write instead. */
export function usage(message: string, todo: string): DrydockError {
  return new DrydockError('bad_usage', message, { todo })
}
