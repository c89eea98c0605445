import { DrydockError } from '../domain/drydock-error.ts'

/**
 * The error for a command line that cannot be carried out: the problem, and a correct command line.
 */
export function usage(message: string, todo: string): DrydockError {
  return new DrydockError('bad_usage', message, { todo })
}
