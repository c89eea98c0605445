/** The result of copying a state. */
export interface CopiedState {
  /** Descriptions of both ends, without secrets. */
  readonly from: string
  readonly to: string
  /** Number of rows by table. */
  readonly rows: Readonly<Record<string, number>>
}
