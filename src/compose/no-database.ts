import { databaseVariable } from '../config/database/database-server.ts'
import { DrydockError } from '../domain/drydock-error.ts'

/** The error of a worker that does not know its hub's database. */
export function noDatabase(): DrydockError {
  return new DrydockError('bad_config', `${databaseVariable} does not name the database of the hub.`, {
    todo: 'Set it to the database that the hub uses, such as postgres://user:password@db.example:5432/drydock',
  })
}
