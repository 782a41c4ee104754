import { Tide } from "./tide";

export type Level = number | null;

export enum State { Open, Shut }

/** Reads a pole. */
export function read(id: string): number;
export function read(id: number): number;
export function read(id: string | number): number {
  return String(id).length;
}

export namespace Quay {
  export interface Berth<T extends object = {}> {
    name: string;
    meta?: T;
  }

  @sealed
  export class Crane {
    #load = 0;

    @logged()
    lift(kg: number): void {
      this.#load += kg;
    }

    drop = async (): Promise<void> => {
      this.#load = 0;
    };
  }
}

declare module "tide-tables" {
  export function table(year: number): string[];
}

export default { read };
