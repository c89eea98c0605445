export interface WorkerRoleOptions {
  readonly name: string
  /** True to set a new password even if the role has one. */
  readonly newPassword: boolean
  /** True to return only the statements, for somebody who may make roles. */
  readonly asSql: boolean
}

/** A role of the database that may do no more than a worker does. */
export interface WorkerRole {
  readonly isNew: boolean
  /** The address of the database for workers, with the password; null where that stays as it is. */
  readonly url: string | null
  /** The SQL that makes the role; null when the role was made. Holds no password. */
  readonly sql: readonly string[] | null
}
