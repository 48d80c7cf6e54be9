"""Environments with a point, returns and small networks for the programs that learn by reinforcement."""

import numpy as np
import ramet.compat.v1 as tf


class Line:
    """A point that should move to 0. Each step costs its distance."""

    STEPS = 16

    def __init__(self, seed):
        self._random = np.random.RandomState(seed)

    def reset(self):
        self._x, self._steps = self._random.uniform(-1, 1), 0
        return self._observation()

    def step(self, move):
        """Moves by at most .25. Returns (observation, reward, done)."""
        self._x = float(np.clip(self._x + np.clip(move, -.25, .25), -1.5, 1.5))
        self._steps += 1
        return self._observation(), -abs(self._x), self._steps == self.STEPS

    def _observation(self):
        return np.array([self._x, 3 * self._x + 1], np.float32)


class Reach:
    """A point with a random goal. Each step costs the distance between them."""

    STEPS = 12

    def __init__(self, seed):
        self._random = np.random.RandomState(seed)

    def reset(self):
        self._x, self._goal = self._random.uniform(-1, 1, 2)
        self._steps = 0
        return self._observation()

    def step(self, action):
        """Returns (observation, reward, done)."""
        self._x = float(np.clip(self._x + .3 * action[0], -1.5, 1.5))
        self._steps += 1
        return self._observation(), -abs(self._x - self._goal), self._steps == self.STEPS

    def _observation(self):
        return np.array([self._x, self._goal], np.float32)


def discount_cumsum(x, discount):
    total, sums = 0., np.zeros(len(x), np.float32)
    for i in reversed(range(len(x))):
        sums[i] = total = x[i] + discount * total
    return sums


def advantages_and_returns(rewards, values, gamma=.95, lam=.9):
    """Returns generalized advantage estimates and discounted returns of a whole episode."""
    values = np.append(values, 0)
    deltas = np.asarray(rewards) + gamma * values[1:] - values[:-1]
    return discount_cumsum(deltas, gamma * lam), discount_cumsum(rewards, gamma)


def collect(env, act, episodes):
    """Returns the arrays of `episodes` episodes; `act` returns (action, move, other values...)."""
    rows, totals = [], []
    for _ in range(episodes):
        observation, done, episode, rewards = env.reset(), False, [], []
        while not done:
            action, move, value, *more = act(observation)
            after, reward, done = env.step(move)
            episode.append((observation, action, value, *more))
            rewards.append(reward)
            observation = after
        advantages, returns = advantages_and_returns(rewards, [row[2] for row in episode])
        rows.extend((*row, a, r) for row, a, r in zip(episode, advantages, returns))
        totals.append(sum(rewards))
    return [np.array(column, dtype=np.asarray(column[0]).dtype) for column in zip(*rows)], np.mean(totals)


def standardized(x):
    return (x - x.mean()) / (x.std() + 1e-8)


def mlp(x, hidden_sizes, activation=tf.tanh, output_activation=None):
    for size in hidden_sizes[:-1]:
        x = tf.layers.dense(x, units=size, activation=activation)
    return tf.layers.dense(x, units=hidden_sizes[-1], activation=output_activation)


def gaussian_likelihood(x, mu, log_std):
    terms = -.5 * (((x - mu) / (tf.exp(log_std) + 1e-8)) ** 2 + 2 * log_std + np.log(2 * np.pi))
    return tf.reduce_sum(terms, axis=1)
