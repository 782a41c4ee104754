'use strict';
const net = require('net');

/** Opens a lock. */
function open(id) {
  return `lock ${id} { not a brace }`;
}

// Closes it.
const close = async (id) => {
  await net.send(id);
};

class Lock extends Base {
  static count = 0;
  #open = false;

  /** Turns the wheel. */
  turn(n) {
    this.#open = n > 0;
  }

  lift = () => this.turn(1);
}

Lock.prototype.stop = function () {
  this.turn(0);
};

module.exports = { open, close };
