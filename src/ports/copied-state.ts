/** What a copy of a state has done. */
export interface CopiedState {
  /** What may be printed of both ends. */
  readonly from: string
  readonly to: string
  /** How many rows there were, by table. */
  readonly rows: Readonly<Record<string, number>>
}
